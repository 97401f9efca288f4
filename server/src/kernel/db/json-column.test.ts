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
