import { expect, test } from 'vitest'
import { hasKeyIndex } from '../../src/features/directory/import/queries.ts'
import { searchDirectory } from '../../src/features/directory/search.ts'
import { type TestContext, testContext } from '../context.ts'
import {
  contactsIn,
  fileWith,
  importPath,
  importText,
  leaveInBlock,
  rejectionsIn,
  stopImports,
  stopIndexing,
  stopKeyIndex,
} from '../directory-files.ts'
import { operatorJson, startOperator } from '../processes.ts'

const rows = Array.from({ length: 4000 }, (_, at) =>
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
  await leaveInBlock(ctx, 1000)
  const people = contactsIn(ctx)
  expect(await people).toHaveLength(1)

  // Twice: killed while its second batch is written, and again when it was taken up.
  for (const _attempt of [1, 2]) {
    await using stop = await stopImports(ctx, 3000)
    await using child = startOperator(args, settings)
    await stop.reached()
    child.kill('SIGKILL')
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' })
  }
  expect(await contactsIn(ctx)).toHaveLength(1001)
  // The attempts that came to nothing had written more of it.
  expect(await rejectionsIn(report)).toEqual(rejections)

  const result = await operatorJson(args, settings)
  expect(result).toMatchObject({
    rows: 4000,
    contacts_created: 3500,
    contacts_updated: 0,
    contacts_unchanged: 0,
    companies_created: 50,
    companies_updated: 0,
    rejected: 500,
    report,
  })
  expect(result.resumed_after).toBeGreaterThan(1000)
  expect(result.resumed_after).toBeLessThan(3000)
  expect(await rejectionsIn(report)).toEqual(rejections)
  expect(await contactsIn(ctx)).toHaveLength(3501)
  expect(await find(ctx)).toBe(3500)
  const again = await importPath(ctx, path)
  expect(again).toMatchObject({ resumed_after: 0, contacts_unchanged: 3500, rejections })
}, 120_000)

test('kill -9 while changed contacts are indexed: the next run of the import indexes them', async () => {
  await using ctx = await testContext()
  const settings = {
    DATABASE_URL: ctx.database.url,
    OUTRIDER_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  }
  const path = await fileWith('first_name,email\nPerson,p@a.example\n')
  await leaveInBlock(ctx, 1000)
  {
    await using stop = await stopIndexing(ctx)
    await using child = startOperator(['directory', 'import', path], settings)
    await stop.reached()
    child.kill('SIGKILL')
    await child.exited
  }
  expect(await find(ctx)).toBe(0)
  const result = await operatorJson(['directory', 'import', path], settings)
  expect(result).toMatchObject({ contacts_created: 1, resumed_after: 2 })
  expect(await find(ctx)).toBe(1)
}, 120_000)

test('kill -9 while the index of keys is made: everybody is there, once, for whoever imports next', async () => {
  await using ctx = await testContext()
  const settings = {
    DATABASE_URL: ctx.database.url,
    OUTRIDER_SECRET_KEY: Buffer.alloc(32).toString('base64'),
  }
  const path = await fileWith(['first_name,email,domain', ...rows].join('\n'))
  {
    await using stop = await stopKeyIndex(ctx)
    await using child = startOperator(['directory', 'import', path], settings)
    await stop.reached()
    child.kill('SIGKILL')
    await child.exited
  }
  expect(await hasKeyIndex(ctx.database.peek)).toBe(false)
  expect(await contactsIn(ctx)).toHaveLength(3500)

  const other = await importText(ctx, 'email,title\np1@a.example,CTO\nnew@a.example,CEO\n')
  expect(other).toMatchObject({ contacts_created: 1, contacts_updated: 1 })
  expect(await hasKeyIndex(ctx.database.peek)).toBe(true)
  const result = await operatorJson(['directory', 'import', path], settings)
  expect(result).toMatchObject({ resumed_after: 4001, contacts_created: 3500, rejected: 500 })
  const again = await importPath(ctx, path)
  expect(again).toMatchObject({ resumed_after: 0, contacts_unchanged: 3500, rejections })
  expect(await contactsIn(ctx)).toHaveLength(3501)
  expect(await find(ctx)).toBe(3500)
}, 120_000)
