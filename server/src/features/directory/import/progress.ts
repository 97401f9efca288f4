import type { Context } from '../../../kernel/context.ts'
import type { Db } from '../../../kernel/db/db.ts'
import * as queries from './queries.ts'
import type { Report } from './report.ts'

/** What became of the rows of a file. */
const nothing = {
  contacts_created: 0,
  contacts_updated: 0,
  contacts_unchanged: 0,
  companies_created: 0,
  companies_updated: 0,
  opted_out: 0,
  rejected: 0,
}

export type Counts = typeof nothing

/** How far an import came, as it is stored with the rows of every batch. */
export interface Progress extends Counts {
  /** The last row of the file that was dealt with. */
  row: number
  report_bytes: number
}

const beginning: Progress = { ...nothing, row: 0, report_bytes: 0 }

export const addCounts = (before: Counts, more: Counts): Counts => {
  const sum = { ...nothing }
  for (const name of Object.keys(nothing) as (keyof Counts)[]) sum[name] = before[name] + more[name]
  return sum
}

export interface OpenImport {
  id: string
  progress: Progress
}

/** The unfinished import of the same file, which begins anew when its report is gone, or a new one. */
export async function openImport(
  ctx: Context,
  fingerprint: string,
  report: Report,
): Promise<OpenImport> {
  const found = await queries.findImport(ctx.db, fingerprint)
  const id = found?.id ?? (await beginImport(ctx, fingerprint))
  const progress = (found?.progress as Progress | undefined) ?? beginning
  const isReported = progress.report_bytes > 0
  if (isReported && (await report.hasAtLeast(progress.report_bytes))) return { id, progress }
  await report.clear()
  return { id, progress: isReported ? beginning : progress }
}

async function beginImport(ctx: Context, fingerprint: string): Promise<string> {
  const id = ctx.newId()
  await queries.insertImport(ctx.db, {
    id,
    fingerprint,
    progress: JSON.stringify(beginning),
    timestamp_created: ctx.now(),
    timestamp_updated: ctx.now(),
  })
  return id
}

export const saveProgress = (ctx: Context, { id, progress }: OpenImport) =>
  queries.updateImport(ctx.db, id, {
    progress: JSON.stringify(progress),
    timestamp_updated: ctx.now(),
  })

export const finishImport = (db: Db, id: string, at: Date) =>
  queries.updateImport(db, id, { finished: true, timestamp_updated: at })
