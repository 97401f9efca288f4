import { sql } from 'kysely'
import type { Db } from '../src/kernel/db/db.ts'

/** Every table in which some column of a row holds the text, in any case. */
export async function tablesWith(db: Db, text: string): Promise<string[]> {
  const { rows: tables } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
    order by relname`.execute(db)
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`
      select to_jsonb(each)::text as row from ${sql.table(name)} each`.execute(db)
    if (rows.some(({ row }) => readable(row).includes(text))) found.push(name)
  }
  return found
}

/** Bytes are digits in JSON: read as what files are written in. */
function readable(row: string): string {
  const bytes = [...row.matchAll(/"\\\\x([0-9a-f]+)"/g)].map(([, digits = '']) =>
    Buffer.from(digits, 'hex'),
  )
  const texts = bytes.flatMap((each) => [each.toString(), each.toString('utf16le')])
  return [row, ...texts].join('\n').toLowerCase()
}
