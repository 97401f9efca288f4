// Also runs on PostgreSQL 15: COPY.
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import {
  companiesIn,
  contactsIn,
  emptyDirectory,
  fileWith,
  importPath,
  importText,
} from '../../../test/directory-files.ts'
import { makeDataDir } from '../../../test/processes.ts'
import { exportFile } from './export.ts'
import type { DirectoryKind, ExportFormat } from './export-queries.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx[Symbol.asyncDispose]())
beforeEach(() => emptyDirectory(ctx))

async function exportTo(name: string, kind: DirectoryKind, format: ExportFormat) {
  const path = join(await makeDataDir(), name)
  const told: number[] = []
  const result = await exportFile(ctx, path, {
    kind,
    format,
    onProgress: (rows) => told.push(rows),
  })
  return { path, result, told }
}

const everything = JSON.stringify({
  first_name: 'Ada "the first"',
  last_name: "O'Neil, Lovelace",
  title: 'VP; Head | of = +Engines\\',
  seniority: 'vp',
  department: 'R&D',
  email: 'Ada@Analytical.example',
  email_status: 'likely',
  linkedin_url: 'https://www.linkedin.com/in/ada',
  city: 'محافظة القاهرة',
  country: 'مصر',
  company: '=Analytical, "Engines" Ltd',
  domain: 'analytical.example',
  website: 'https://www.analytical.example/?a=1',
  industry: 'Mechanical, Computing',
  employee_count: 51,
  revenue_range: '$1,000–5,000',
  founded_year: 1843,
  description: 'Looms; cards, and 雪.',
  technologies: ['Punched, card'],
  company_city: 'London',
  company_country: 'UK',
  company_linkedin_url: 'https://www.linkedin.com/company/analytical',
})
const others = [
  '{"first_name":"花子","last_name":"山田","company":"山田商事","technologies":["C#","a|b"]}',
  '{"linkedin_url":"linkedin.com/in/nobody-else"}',
  '{"first_name":"Bob","last_name":"B","domain":"b.example","has_email":false}',
  '{"first_name":"Eve","last_name":"E","domain":"b.example","technologies":["one|two"]}',
]
const companies = '{"name":"Nobody Works Here","country":"FR"}\n{"domain":"alone.example"}\n'

const formats: [ExportFormat, string][] = [
  ['csv', '.csv'],
  ['csv', '.csv.gz'],
  ['ndjson', '.ndjson'],
  ['ndjson', '.ndjson.gz'],
]
describe.each(formats)('what is exported as %s to %s', (format, ending) => {
  test('is the same directory when it is imported', async () => {
    await importText(ctx, [everything, ...others].join('\n'))
    await importText(ctx, companies)
    const before = { contacts: await contactsIn(ctx), companies: await companiesIn(ctx) }
    const files = [
      await exportTo(`contacts${ending}`, 'contacts', format),
      await exportTo(`companies${ending}`, 'companies', format),
    ]
    expect(files.map(({ result }) => result)).toEqual([
      { kind: 'contacts', format, rows: 5 },
      { kind: 'companies', format, rows: 5 },
    ])
    await emptyDirectory(ctx)
    for (const { path, result } of files) {
      expect(await importPath(ctx, path)).toMatchObject({
        kind: result.kind,
        rows: 5,
        rejected: 0,
        ignored_columns: [],
      })
    }
    const after = { contacts: await contactsIn(ctx), companies: await companiesIn(ctx) }
    expect(after).toEqual(before)
    expect(before.contacts).toHaveLength(5)
    expect(before.companies).toHaveLength(5)
  })
})

test('names that end in .gz are compressed, others are not', async () => {
  await importText(ctx, 'email\na@a.example\n')
  const plain = await readFile((await exportTo('x.csv', 'contacts', 'csv')).path)
  const zipped = await readFile((await exportTo('x.csv.gz', 'contacts', 'csv')).path)
  expect(gunzipSync(zipped)).toEqual(plain)
  expect(plain.toString()).toMatch(/^first_name,last_name,.*\n,,.*a@a\.example.*\n$/)
})

test('the mark of the sample is not exported', async () => {
  await importText(ctx, 'email\na@a.example\n')
  await ctx.database.peek.updateTable('directory_contacts').set({ sample: true }).execute()
  const { path } = await exportTo('x.ndjson', 'contacts', 'ndjson')
  expect(await readFile(path, 'utf8')).not.toContain('sample')
})

test('whoever had a wrong address alone is not exported: no import could tell who it is', async () => {
  const header = 'email,email_status,first_name,last_name,company,linkedin_url\n'
  const rows = (status: string) =>
    `nobody@a.example,${status},,,,\n` +
    `half@a.example,${status},Ada,,,\n` +
    `named@a.example,${status},Ada,Lovelace,Analytical,\n` +
    `linked@a.example,${status},,,,linkedin.com/in/ada\n`
  for (const status of ['verified', 'invalid']) await importText(ctx, header + rows(status))
  expect(await contactsIn(ctx)).toHaveLength(4)
  for (const format of ['csv', 'ndjson'] as const) {
    const { path, result } = await exportTo(`x.${format}`, 'contacts', format)
    expect(result.rows).toBe(2)
    await emptyDirectory(ctx)
    expect(await importPath(ctx, path)).toMatchObject({ rows: 2, rejected: 0 })
  }
})

test('an empty directory is a file of headers, or an empty one', async () => {
  const csv = await exportTo('x.csv', 'contacts', 'csv')
  expect(csv.result.rows).toBe(0)
  expect(await importPath(ctx, csv.path)).toMatchObject({ kind: 'contacts', rows: 0 })
  const ndjson = await exportTo('x.ndjson', 'contacts', 'ndjson')
  expect(await readFile(ndjson.path, 'utf8')).toBe('')
})

test('many rows are told of as they are written, and each is there', async () => {
  const rows = Array.from({ length: 30_000 }, (_, at) => `Person ${at},p${at}@a.example,a.example`)
  await importText(ctx, ['first_name,email,domain', ...rows].join('\n'))
  const { path, told } = await exportTo('x.csv', 'contacts', 'csv')
  expect(told.length).toBeGreaterThan(5)
  expect(told.at(-1)).toBe(30_000)
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  expect(new Set(lines).size).toBe(30_001)
})

describe('a file', () => {
  test('is only for its owner, and takes the place of an older one', async () => {
    await importText(ctx, 'email\na@a.example\n')
    const path = await fileWith('older', 'x.csv')
    await exportFile(ctx, path, { kind: 'contacts', format: 'csv', onProgress: () => undefined })
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readFile(path, 'utf8')).toContain('a@a.example')
  })

  test('that cannot be written to its end leaves the older one, and nothing else', async () => {
    await importText(ctx, 'email\na@a.example\n')
    const path = await fileWith('older', 'x.csv')
    const onProgress = () => {
      throw new Error('the disk is full')
    }
    const exporting = exportFile(ctx, path, { kind: 'contacts', format: 'csv', onProgress })
    await expect(exporting).rejects.toThrow('the disk is full')
    expect(await readFile(path, 'utf8')).toBe('older')
    await expect(stat(`${path}.part`)).rejects.toThrow('ENOENT')
    // The connection that was in the middle of it is not used again.
    expect(await contactsIn(ctx)).toHaveLength(1)
    await exportTo('y.csv', 'contacts', 'csv')
  })

  test('in no folder is refused', async () => {
    const options = { kind: 'contacts', format: 'csv', onProgress: () => undefined } as const
    await expect(exportFile(ctx, '/no/such/folder/x.csv', options)).rejects.toThrow('ENOENT')
  })
})
