import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { commandDatabase, json, run } from '../../test/commands.ts'
import { fileWith } from '../../test/directory-files.ts'
import { makeDataDir } from '../../test/processes.ts'

commandDatabase()

const csv =
  'Vorname,Nachname,E-Mail,Domain,Notiz\nAda,Lovelace,ada@a.example,a.example,x\nBob,B,nothing,b.example,y\n'
const map = ['--map', 'Vorname=first_name', '--map', 'Nachname=last_name']

test('a directory is imported, counted, exported and imported again, and a person removed', async () => {
  const file = await fileWith(csv)
  const report = `${file}.report.csv`
  expect(await json('directory', 'import', file, ...map, '--report', report)).toEqual({
    kind: 'contacts',
    rows: 2,
    contacts_created: 1,
    contacts_updated: 0,
    contacts_unchanged: 0,
    companies_created: 1,
    companies_updated: 0,
    opted_out: 0,
    rejected: 1,
    resumed_after: 0,
    report,
    ignored_columns: ['Notiz'],
  })
  expect(await readFile(report, 'utf8')).toBe('row,reason\n3,"email is not an e-mail address"\n')
  expect(await json('directory', 'stats')).toEqual({
    contacts: 1,
    contacts_with_address: 1,
    contacts_to_look_up: 0,
    companies: 1,
    sample_contacts: 0,
    sample_companies: 0,
    opted_out_addresses: 0,
    opted_out_domains: 0,
    unfinished_imports: 0,
    timestamp_updated: expect.stringMatching(/^\d{4}-.*Z$/),
  })

  const folder = await makeDataDir()
  const exported = join(folder, 'contacts.ndjson.gz')
  expect(await json('directory', 'export', exported)).toEqual({
    kind: 'contacts',
    format: 'ndjson',
    rows: 1,
  })
  expect(JSON.parse(gunzipSync(await readFile(exported)).toString())).toMatchObject({
    first_name: 'Ada',
    email: 'ada@a.example',
    company: 'a.example',
  })
  const again = await json('directory', 'import', exported)
  expect(again).toMatchObject({ contacts_unchanged: 1, companies_updated: 0, report: null })
  const companies = join(folder, 'companies.txt')
  const written = ['--kind', 'companies', '--format', 'csv']
  expect(await json('directory', 'export', companies, ...written)).toMatchObject({ rows: 1 })
  expect(await json('directory', 'import', companies)).toMatchObject({ kind: 'companies' })

  expect(await json('directory', 'optout', 'Ada@a.example')).toEqual({
    kind: 'address',
    contacts_removed: 1,
    leads_stopped: 0,
  })
  expect(await json('directory', 'import', exported)).toMatchObject({ opted_out: 1 })
  expect(await json('directory', 'optout', 'a.example')).toMatchObject({ kind: 'domain' })
  const { stdout } = await run('directory', 'stats')
  expect(stdout).toMatch(/^contacts +0$/m)
  expect(stdout).toMatch(/^opted_out_addresses +1$/m)
  expect(stdout).toMatch(/^opted_out_domains +1$/m)
})

test('what a person reads are lines and sentences', async () => {
  const file = await fileWith('email\nzoe@z.example\n')
  const imported = await run('directory', 'import', file)
  expect(imported).toMatchObject({ code: 0, stderr: '' })
  expect(imported.stdout).toMatch(/^contacts_created +1$/m)
  expect(imported.stdout).toMatch(/^report +-$/m)
  const exported = await run('directory', 'export', join(await makeDataDir(), 'x.csv'))
  expect(exported.stdout).toMatch(/^rows +1$/m)
  const removed = await run('directory', 'optout', 'zoe@z.example')
  expect(removed.stdout).toMatch(/^1 contact was removed. Nobody with this address/)
  const domain = await run('directory', 'optout', 'z.example')
  expect(domain.stdout).toMatch(/^0 contacts were removed. Nobody of this domain/)
})

test('the report lies beside the file where nothing else is said', async () => {
  const file = await fileWith('email,city\nnothing,x\n')
  expect((await json('directory', 'import', file)).report).toBe(`${file}.rejected.csv`)
})

test('another encoding and what the file has may be said', async () => {
  const file = await fileWith(Buffer.from('company,email\nCaf\xe9,x\n', 'latin1'))
  const said = ['--encoding', 'latin1', '--kind', 'companies']
  expect(await json('directory', 'import', file, ...said)).toMatchObject({
    kind: 'companies',
    companies_created: 1,
  })
})

test('on a terminal a bar goes ahead of the summary, and none where JSON is printed', async () => {
  const file = await fileWith('email\nada@bar.example\n')
  const wasTTY = process.stderr.isTTY
  process.stderr.isTTY = true
  try {
    const seen = await run('directory', 'import', file)
    expect(seen.stderr).toMatch(/\[#{20}\] 100 % {2}1 rows/)
    expect(seen.stderr.endsWith('\r\u001b[K')).toBe(true)
    expect(seen.stdout).not.toContain('\u001b')
    expect(await run('directory', 'import', file, '--json')).toMatchObject({ code: 0, stderr: '' })
    const exported = await run('directory', 'export', join(await makeDataDir(), 'x.csv'))
    expect(exported.stderr).toContain(' rows')
  } finally {
    process.stderr.isTTY = wasTTY
  }
})

test.each([
  [['directory', 'import'], 2, ''],
  [['directory', 'import', 'x', '--map', 'Vorname'], 2, 'first_name'],
  [['directory', 'import', 'x', '--map', 'Vorname=prename'], 2, 'linkedin_url'],
  [['directory', 'import', 'x', '--kind', 'people'], 2, 'contacts, companies'],
  [['directory', 'import', 'x', '--encoding', 'klingon'], 2, 'windows-1252'],
  [['directory', 'import', '/no/such/file'], 1, 'There is no file or folder /no/such/file.'],
  [['directory', 'import', '/'], 1, '/ is not a file.'],
  [['directory', 'export'], 2, ''],
  [['directory', 'export', 'x', '--format', 'xlsx'], 2, 'csv, ndjson'],
  [
    ['directory', 'export', '/no/such/folder/x.csv'],
    1,
    'There is no file or folder /no/such/folder/x.csv',
  ],
  [['directory', 'optout'], 2, ''],
  [['directory', 'optout', 'nobody'], 1, 'It must be an e-mail address, or a domain'],
  [['directory', 'stats', 'all'], 2, ''],
])('%j ends with %i and says why', async (args, code, sentence) => {
  const ended = await run(...args)
  expect(ended).toMatchObject({ code, stdout: '' })
  expect(ended.stderr).toContain(sentence)
  expect(ended.stderr).not.toBe('')
  expect(ended.stderr).not.toMatch(/^ +at /m)
})

test('a file that says nothing we know names what to do', async () => {
  const file = await fileWith('x,y\n1,2\n')
  const ended = await run('directory', 'import', file)
  expect(ended).toMatchObject({ code: 1, stdout: '' })
  expect(ended.stderr).toContain('--map HEADER=FIELD')
  await writeFile(file, '')
  expect((await run('directory', 'import', file)).stderr).toBe('The file is empty.\n')
})
