import { expect, test } from 'vitest'
import { isReindexDue } from '../../src/features/directory/index.ts'
import { searchDirectory } from '../../src/features/directory/search.ts'
import { type TestContext, testContext } from '../context.ts'
import {
  contactsIn,
  fileWith,
  importPath,
  rejectionsIn,
  stopImports,
  stopReindexing,
} from '../directory-files.ts'
import { insertCompany, insertPeople } from '../directory-rows.ts'
import { operatorJson, startOperator } from '../processes.ts'

// More than a batch has.
const rows = Array.from({ length: 24_000 }, (_, at) =>
  at % 8 === 5
    ? `Nobody,nothing,c${at % 50}.example`
    : `Person,p${at}@a.example,c${at % 50}.example`,
)
const rejections = rows.flatMap((row, at) =>
  row.startsWith('Nobody') ? [`${at + 2}: email is not an e-mail address`] : [],
)

const find = async (ctx: TestContext) =>
  (await searchDirectory(ctx.db, { query: 'person' }, { limit: 1, startingAfter: undefined })).total

test('kill -9 in the middle of an import loses nothing and doubles nothing, in the report neither', async () => {
  await using ctx = await testContext()
  const path = await fileWith(['first_name,email,domain', ...rows].join('\n'))
  const report = `${path}.rejected.csv`
  const settings = {
    DATABASE_URL: ctx.database.url,
    OUTRIDER_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  }
  const args = ['directory', 'import', path]
  // Twice: killed while its second batch is written, and again when it was taken up.
  for (const _attempt of [1, 2]) {
    await using stop = await stopImports(ctx, 21_000)
    await using child = startOperator(args, settings)
    await stop.reached()
    child.kill('SIGKILL')
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' })
  }
  expect(await contactsIn(ctx)).toHaveLength(17_500)
  // The attempts that came to nothing had written more of it.
  expect(await rejectionsIn(report)).toEqual(rejections)

  const result = await operatorJson(args, settings)
  expect(result).toMatchObject({
    rows: 24_000,
    contacts_created: 21_000,
    contacts_updated: 0,
    contacts_unchanged: 0,
    companies_created: 50,
    companies_updated: 0,
    rejected: 3000,
    report,
  })
  expect(result.resumed_after).toBe(20_001)
  expect(await rejectionsIn(report)).toEqual(rejections)
  expect(await contactsIn(ctx)).toHaveLength(21_000)
  expect(await find(ctx)).toBe(21_000)
  const again = await importPath(ctx, path)
  expect(again).toMatchObject({ resumed_after: 0, contacts_unchanged: 21_000, rejections })
})

test('kill -9 while a directory is reindexed: it is still due, and the next run does it', async () => {
  await using ctx = await testContext()
  const settings = {
    DATABASE_URL: ctx.database.url,
    OUTRIDER_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  }
  const company_id = await insertCompany(ctx)
  await insertPeople(ctx, [{ first_name: 'Person', company_id }, { first_name: 'Person' }])
  expect(await find(ctx)).toBe(0)
  {
    await using stop = await stopReindexing(ctx)
    await using child = startOperator(['directory', 'reindex'], settings)
    await stop.reached()
    child.kill('SIGKILL')
    await child.exited
  }
  expect(await isReindexDue(ctx.db)).toBe(true)
  expect(await operatorJson(['directory', 'reindex'], settings)).toEqual({
    companies: 1,
    contacts: 2,
  })
  expect(await isReindexDue(ctx.db)).toBe(false)
  expect(await find(ctx)).toBe(2)
})
