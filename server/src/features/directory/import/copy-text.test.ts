// Also runs on PostgreSQL 15: COPY.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { testContext } from '../../../../test/context.ts'
import { withSession } from '../../../kernel/db/session.ts'
import { copyText } from './copy-text.ts'

const awkward = 'a\tb\nc\r\nd\\e\\N"f",{g} é雪'

test('rows come in as they are, whatever stands in them, and however many there are', async () => {
  await using ctx = await testContext()
  await withSession(ctx.db, async ({ db, copyFrom }) => {
    await sql`/* session: of this test */ create temporary table copied (n integer, t text, l text[], d timestamptz, b boolean)`.execute(
      db,
    )
    const at = new Date('2026-03-29T01:30:00.123Z')
    const rows = Array.from({ length: 3_000 }, (_, n) => [n, awkward, [awkward, ''], at, true])
    const nothing = [3_000, null, null, null, null]
    expect(await copyFrom('copy copied from stdin', copyText([...rows, nothing]))).toBe(3_001)
    const found = await sql`select * from copied order by n`.execute(db)
    const [first, last] = [found.rows.at(0), found.rows.at(-1)]
    expect(first).toEqual({ n: 0, t: awkward, l: [awkward, ''], d: at, b: true })
    expect(last).toEqual({ n: 3_000, t: null, l: null, d: null, b: null })
    const same = await sql`select from copied where t = ${awkward}`.execute(db)
    expect(same.rows).toHaveLength(3_000)
  })
})
