import type { Db } from '../../../kernel/db/db.ts'
import { rowsOf } from '../../../kernel/db/rows-of.ts'
import { parseEmail } from '../../../kernel/email.ts'
import type { Attempt, AttemptFilter, Run } from './queries.ts'
import * as queries from './queries.ts'

export interface HistoryFilter extends AttemptFilter {
  webhookId?: string | undefined
  webhookUrl?: string | undefined
}

/**
 * The newest `most` attempts that match, of a lead in any spelling of its address: each is a stretch of
 * an index, which a list of them would have the database sort.
 */
export async function listNewestAttempts(
  db: Db,
  workspaceId: string,
  filter: HistoryFilter,
  most: number,
): Promise<Attempt[]> {
  const { leadEmail } = filter
  if (leadEmail === undefined) return listNewest(db, workspaceId, filter, most)
  const folded = parseEmail(leadEmail)?.folded ?? leadEmail
  const known = await queries.listSpellings(db, workspaceId, folded)
  const found: Attempt[] = []
  for (const spelling of new Set([leadEmail, folded, ...known])) {
    const ofSpelling = { ...filter, leadEmail: spelling }
    found.push(...(await listNewest(db, workspaceId, ofSpelling, most)))
  }
  return found.sort(newestFirst).slice(0, most)
}

/**
 * Attempts of a destination or a URL are merged from runs, one for each destination, URL and outcome
 * there ever was: however far down what is looked for lies, no other attempt is read on the way.
 */
async function listNewest(
  db: Db,
  workspaceId: string,
  filter: HistoryFilter,
  most: number,
): Promise<Attempt[]> {
  const { webhookId, webhookUrl, success, ...rest } = filter
  if (webhookId === undefined && webhookUrl === undefined) {
    return rowsOf(db, queries.selectAttempts(workspaceId, { ...rest, success }, most))
  }
  const targets = await queries.listTargets(db, workspaceId, { webhookId, webhookUrl })
  const outcomes = success === undefined ? [true, false] : [success]
  const runs = targets.flatMap((target) =>
    outcomes.map((outcome) => ({ ...target, success: outcome })),
  )
  return runs.length === 0 ? [] : mergeRuns(db, workspaceId, runs, rest, most)
}

/**
 * Of many runs only as many as the page has rows can be on it: those whose newest attempt is newest.
 * The oldest of these newest bounds what has to be read of each.
 */
async function mergeRuns(
  db: Db,
  workspaceId: string,
  runs: Run[],
  filter: AttemptFilter,
  most: number,
): Promise<Attempt[]> {
  const { before, from } = filter
  // To find none of a type or a lead in a run without attempts, all of theirs would be walked.
  const some = queries.isNarrowed(filter)
    ? await rowsOf(db, queries.selectNewest(workspaceId, runs, { before, from }))
    : runs
  const newest = (await rowsOf(db, queries.selectNewest(workspaceId, some, filter)))
    .sort(newestFirst)
    .slice(0, most)
  const oldest = newest.at(-1)
  if (!oldest) return []
  const bounded = newest.length < most ? filter : { ...filter, from: oldest.id }
  const ofRuns = queries.selectAttemptsOfRuns(workspaceId, newest, bounded, most)
  const attempts = await rowsOf(db, ofRuns)
  return attempts.sort(newestFirst).slice(0, most)
}

const newestFirst = (a: { id: string }, b: { id: string }) => (a.id < b.id ? 1 : -1)
