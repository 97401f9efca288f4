import { type Insertable, sql } from 'kysely'
import type { Db } from '../../kernel/db/db.ts'
import { newestFirst } from '../../kernel/db/newest-first.ts'
import type { Imports } from '../../kernel/db/types.gen.ts'
import type { PageRequest } from '../../kernel/http/page.ts'
import { storable } from '../../kernel/text.ts'
import type { Format } from './format.ts'
import type { SkippedRow } from './rows.ts'
import type { Import } from './schema.ts'

export interface StoredImport
  extends Omit<Import, 'part_bytes' | 'parts_missing' | 'encoding' | 'file_bytes' | 'bytes_done'> {
  workspace_id: string
  file_bytes: string | number
  bytes_done: string | number
  format: Format | null
  claim: string | null
  timestamp_claimed: Date | null
}

export const insertImport = (db: Db, row: Insertable<Imports>) =>
  db
    .insertInto('imports')
    .values(row)
    .returningAll()
    .$castTo<StoredImport>()
    .executeTakeFirstOrThrow()

const selectImports = (db: Db, workspaceId: string) =>
  db
    .selectFrom('imports')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .$castTo<StoredImport>()

export const listImports = (db: Db, workspaceId: string, page: PageRequest) =>
  selectImports(db, workspaceId).$call(newestFirst(page)).execute()

export const findImport = (db: Db, workspaceId: string, id: string) =>
  selectImports(db, workspaceId).where('id', '=', id).executeTakeFirst()

/** Nobody else changes it until the transaction ends. */
export const lockImport = (db: Db, workspaceId: string, id: string) =>
  selectImports(db, workspaceId).where('id', '=', id).forUpdate().executeTakeFirst()

/** Whoever works on it still does. @returns whether it is theirs */
export const renewClaim = async (
  db: Db,
  { workspace_id, id, claim }: { workspace_id: string; id: string; claim: string },
  now: Date,
) => {
  const { rows } = await sql`
    update imports set timestamp_claimed = ${now}::timestamptz
    where workspace_id = ${workspace_id}::uuid and id = ${id}::uuid and claim = ${claim}::uuid
    returning id`.execute(db)
  return rows.length > 0
}

export const updateImport = (db: Db, row: StoredImport) =>
  sql`
    update imports
    set campaign_id = ${row.campaign_id}::uuid, state = ${row.state},
      format = ${json(row.format)}::jsonb, preview = ${json(row.preview)}::jsonb,
      mapping = ${json(row.mapping)}::jsonb, duplicates = ${row.duplicates},
      row_done = ${row.row_done}, bytes_done = ${row.bytes_done},
      checked = ${json(row.checked)}::jsonb, result = ${json(row.result)}::jsonb,
      error = ${row.error}, claim = ${row.claim}::uuid,
      timestamp_claimed = ${row.timestamp_claimed}::timestamptz,
      timestamp_started = ${row.timestamp_started}::timestamptz,
      timestamp_updated = ${row.timestamp_updated}::timestamptz
    where workspace_id = ${row.workspace_id}::uuid and id = ${row.id}::uuid`.execute(db)

const json = (value: unknown) => (value === null ? null : JSON.stringify(value))

export const countOpen = async (db: Db, workspaceId: string) => {
  const { rows } = await sql<{ open: number }>`
    select count(*)::integer as open from imports
    where workspace_id = ${workspaceId}::uuid
      and state not in ('finished', 'cancelled', 'failed')`.execute(db)
  return rows[0]?.open ?? 0
}

export const insertPart = (
  db: Db,
  workspaceId: string,
  importId: string,
  number: number,
  content: Buffer,
) =>
  sql`
    insert into import_parts (workspace_id, import_id, number, content)
    values (${workspaceId}::uuid, ${importId}::uuid, ${number}, ${content})`.execute(db)

export const findPartDigest = async (
  db: Db,
  workspaceId: string,
  importId: string,
  number: number,
) => {
  const { rows } = await sql<{ digest: Buffer }>`
    select sha256(content) as digest from import_parts
    where workspace_id = ${workspaceId}::uuid and import_id = ${importId}::uuid
      and number = ${number}`.execute(db)
  return rows[0]?.digest
}

export const listPartNumbers = async (db: Db, workspaceId: string, importId: string) => {
  const { rows } = await sql<{ number: number }>`
    select number from import_parts
    where workspace_id = ${workspaceId}::uuid and import_id = ${importId}::uuid`.execute(db)
  return new Set(rows.map(({ number }) => number))
}

export const findPart = async (db: Db, workspaceId: string, importId: string, number: number) => {
  const { rows } = await sql<{ content: Buffer }>`
    select content from import_parts
    where workspace_id = ${workspaceId}::uuid and import_id = ${importId}::uuid
      and number = ${number}`.execute(db)
  return rows[0]?.content
}

export const deleteParts = (db: Db, workspaceId: string, importId: string) =>
  sql`
    delete from import_parts
    where workspace_id = ${workspaceId}::uuid and import_id = ${importId}::uuid`.execute(db)

export const insertSkipped = (
  db: Db,
  workspaceId: string,
  importId: string,
  isCheck: boolean,
  rows: SkippedRow[],
) => {
  const stored = rows.map(({ fields, ...row }) => ({
    ...row,
    fields: fields?.map((field) => storable(field)),
  }))
  return sql`
    insert into import_skipped (workspace_id, import_id, is_check, first_row, rows)
    values (${workspaceId}::uuid, ${importId}::uuid, ${isCheck}, ${rows[0]?.row ?? 0},
      ${JSON.stringify(stored)}::jsonb)`.execute(db)
}

export const deleteSkipped = (db: Db, workspaceId: string, importId: string, isCheck: boolean) =>
  sql`
    delete from import_skipped
    where workspace_id = ${workspaceId}::uuid and import_id = ${importId}::uuid
      and is_check = ${isCheck}`.execute(db)

/** Skipped rows of some batches, in the order of the file. */
export const listSkipped = async (
  db: Db,
  workspaceId: string,
  importId: string,
  isCheck: boolean,
  afterRow: number,
  limit: number,
) => {
  const { rows } = await sql<{ first_row: number; rows: SkippedRow[] }>`
    select first_row, rows from import_skipped
    where workspace_id = ${workspaceId}::uuid and import_id = ${importId}::uuid
      and is_check = ${isCheck} and first_row > ${afterRow}
    order by first_row
    limit ${limit}::integer`.execute(db)
  return rows
}

/** Imports that nobody went on with. */
export const listAbandoned = async (db: Db, workspaceId: string, before: Date) => {
  const { rows } = await sql<{ id: string }>`
    select id from imports
    where workspace_id = ${workspaceId}::uuid and ${isAbandoned(before)}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Undefined where somebody has gone on with it meanwhile. */
export const lockAbandoned = (db: Db, workspaceId: string, id: string, before: Date) =>
  selectImports(db, workspaceId)
    .where('id', '=', id)
    .where(isAbandoned(before))
    .forUpdate()
    .executeTakeFirst()

const isAbandoned = (before: Date) =>
  sql<boolean>`state in ('uploading', 'ready', 'checked')
    and timestamp_updated < ${before}::timestamptz`

export const deleteOldImports = async (db: Db, workspaceId: string, before: Date) => {
  await sql`
    with gone as (
      delete from imports
      where workspace_id = ${workspaceId}::uuid and timestamp_updated < ${before}::timestamptz
        and state in ('finished', 'cancelled', 'failed')
      returning id
    )
    delete from import_skipped s using gone
    where s.workspace_id = ${workspaceId}::uuid and s.import_id = gone.id`.execute(db)
}
