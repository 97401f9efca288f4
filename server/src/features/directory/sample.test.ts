import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { loadSample, removeSample, searchDirectory } from './index.ts'
import { sampleRows } from './made-up/rows.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext()
})
afterAll(() => ctx[Symbol.asyncDispose]())

const firstPage = { limit: 5, startingAfter: undefined }
const search = (filters: object) => searchDirectory(ctx.db, filters, firstPage)

test('the sample is the same every time, and every address of it is reserved', () => {
  const rows = [...sampleRows()]
  expect(rows).toEqual([...sampleRows()])
  expect(rows).toHaveLength(5000)
  expect(new Set(rows.map((row) => row[12])).size).toBe(500)
  for (const row of rows) {
    expect(row[5]).toMatch(/^$|^[a-z._]+@[a-z-]+-\d+\.example$/)
    expect(row[12]).toMatch(/\.example$/)
  }
})

test('it is found in many scripts, and taken out again without what else there is', async () => {
  expect(await loadSample(ctx)).toEqual({ contacts: 5000, companies: 500 })
  expect((await search({})).total).toBe(5000)
  for (const query of ['山田', 'Юлія', 'Γιώργος', 'محمد', 'कमल', 'Muller', 'Wójcik', '한강']) {
    expect((await search({ query })).total, query).toBeGreaterThan(0)
  }
  expect((await search({ countries: ['JP'] })).total).toBeGreaterThan(100)
  expect(await loadSample(ctx)).toEqual({ contacts: 0, companies: 0 })

  const kept = (await search({ countries: ['Japan'] })).items[0]
  await ctx.db
    .updateTable('directory_contacts')
    .set({ sample: false })
    .where('id', '=', kept?.id ?? '')
    .execute()
  expect(await removeSample(ctx)).toEqual({ contacts: 4999, companies: 499 })
  expect((await search({})).items.map(({ id }) => id)).toEqual([kept?.id])
})
