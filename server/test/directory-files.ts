import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, vi } from 'vitest'
import {
  type ImportOptions,
  type ImportResult,
  importFile,
} from '../src/features/directory/import/import.ts'
import type { TestContext } from './context.ts'
import { patience } from './patience.ts'
import { makeDataDir } from './processes.ts'

export type Content = string | Buffer

/** @returns the path of a file with this in it, which is removed after the test */
export async function fileWith(content: Content, name = 'contacts.csv'): Promise<string> {
  const path = join(await makeDataDir(), name)
  await writeFile(path, content)
  return path
}

export interface Imported extends ImportResult {
  /** `row: reason` of those that were rejected. */
  rejections: string[]
}

/** Imports a file as the command does where nothing is said. */
export async function importPath(
  ctx: Parameters<typeof importFile>[0],
  path: string,
  options: Partial<ImportOptions> = {},
): Promise<Imported> {
  const result = await importFile(ctx, path, {
    map: new Map(),
    kind: undefined,
    encoding: 'utf-8',
    report: `${path}.rejected.csv`,
    ...options,
  })
  return { ...result, rejections: await rejectionsIn(result.report) }
}

export async function importText(
  ctx: TestContext,
  content: Content,
  options: Partial<ImportOptions> = {},
): Promise<Imported> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'outrider-test-'))
  const path = join(folder.path, 'contacts.csv')
  await writeFile(path, content)
  return await importPath(ctx, path, options)
}

export async function rejectionsIn(report: string | null): Promise<string[]> {
  if (report === null) return []
  const [header, ...lines] = (await readFile(report, 'utf8')).trimEnd().split('\n')
  if (header !== 'row,reason') throw new Error(`A report begins with ${header}`)
  return lines.map((line) => line.replace(/^(\d+),"(.*)"$/, '$1: $2').replaceAll('""', '"'))
}

/** Every contact with its company, but for ids, numbers and times, in the order of their keys. */
export async function contactsIn(ctx: TestContext) {
  const { rows } = await sql<Record<string, unknown>>`
    select c.key, c.first_name, c.last_name, c.title, c.seniority, c.department, c.city, c.country,
      c.linkedin_url, c.email, c.email_status, c.has_email, c.sample, k.key as company
    from directory_contacts c
    left join directory_companies k on k.id = c.company_id
    order by c.key`.execute(ctx.database.peek)
  return rows
}

export async function companiesIn(ctx: TestContext) {
  const rows = await ctx.database.peek
    .selectFrom('directory_companies')
    .selectAll()
    .orderBy('key')
    .execute()
  return rows.map(({ id, timestamp_updated, ...company }) => company)
}

/** As if nothing had ever been imported. */
export async function emptyDirectory({ database: { peek } }: TestContext) {
  await sql`
    truncate directory_contacts, directory_companies, directory_terms, directory_optouts,
      directory_imports`.execute(peek)
}

/** Stops imports in the middle of a transaction, until it is disposed of. */
interface Stop extends AsyncDisposable {
  /** Resolves once so many wait: the import, and whoever waits for it. */
  reached: (waiting?: number) => Promise<void>
}

/**
 * Where a batch is written but for its commit.
 *
 * @param row of the file; batches that end before it are not stopped
 */
export const stopImports = (ctx: TestContext, row: number): Promise<Stop> =>
  stopWriters(
    ctx,
    `update on directory_imports for each row
     when ((new.progress->>'row')::integer >= ${row} and not new.finished)`,
  )

/** Where a reindexing has made all terms but for its last commit. */
export const stopReindexing = (ctx: TestContext): Promise<Stop> =>
  stopWriters(ctx, 'update on directory_imports for each row when (new.finished)')

async function stopWriters(ctx: TestContext, of: string): Promise<Stop> {
  const client = new pg.Client({ connectionString: ctx.database.url })
  await client.connect()
  await client.query('select pg_advisory_lock(4711)')
  await client.query(`
    create function stop_writer() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock(4711); return new; end $$`)
  await client.query(`create trigger stop_writer before ${of} execute function stop_writer()`)
  let isOver = false
  return {
    reached: (waiting = 1) =>
      vi.waitFor(async () => {
        const { rows } = await client.query(`
          select count(*)::integer as waiting
          from pg_locks join pg_database d on d.oid = database
          where locktype = 'advisory' and not granted and datname = current_database()`)
        expect(rows).toEqual([{ waiting }])
      }, patience),
    async [Symbol.asyncDispose]() {
      if (isOver) return
      isOver = true
      // Whoever waits goes on first: the trigger cannot be dropped under them.
      await client.query('select pg_advisory_unlock(4711)')
      await client.query('drop function stop_writer cascade')
      await client.end()
    },
  }
}
