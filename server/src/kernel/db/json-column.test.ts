import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testContext } from '../../../test/context.ts'

test('a key of a JSON column is read as itself, whatever another row had there', async () => {
  await using ctx = await testContext()
  for (const type of [sql`json`, sql`jsonb`]) {
    for (const key of ['\\', '\n', '"', 'b']) {
      const row = { first: 0, [key]: 1 }
      const { rows } = await sql<{ row: unknown }>`
        select ${JSON.stringify(row)}::text::${type} as row`.execute(ctx.db)
      expect(rows).toEqual([{ row }])
    }
  }
})

test('a JSON column with a key __proto__ beside one that needs an escape can be read', async () => {
  await using ctx = await testContext()
  const row = Object.fromEntries([
    ['__proto__', '1'],
    ['size "XL"', '2'],
  ])
  for (const type of [sql`json`, sql`jsonb`]) {
    const { rows } = await sql<{ row: unknown }>`
      select ${JSON.stringify(row)}::text::${type} as row`.execute(ctx.db)
    expect(rows).toStrictEqual([{ row }])
  }
})
