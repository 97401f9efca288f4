import { type Context, inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { BrokenFile } from '../../kernel/csv/recode.ts'
import { movingOf } from '../../kernel/db/failure.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { AppError } from '../../kernel/errors.ts'
import { Fingerprints } from '../../kernel/fingerprints.ts'
import { describeError } from '../../kernel/log.ts'
import { type AddedLeads, addLeads } from '../leads/index.ts'
import { claimImport } from './cross-workspace.ts'
import { countedIn, end, update } from './imports.ts'
import * as queries from './queries.ts'
import { type ReadRow, readRows, type SkippedRow } from './rows.ts'
import type { Counts, FileSkipReason } from './schema.ts'

const batchRows = 1000
/** Small enough for a bar of progress to move evenly. */
const pieceBytes = 1 << 18
const shownMax = 100
/** As many rows that can be mended are kept as they are in the file; of the others the address is. */
const keptRowsMax = 10_000

/**
 * Works on the imports of all workspaces that wait for it, some at a time, until there are no more. A
 * check and the import itself are the same, but that a check writes no leads.
 */
export class ImportRunner {
  readonly #ctx: ProcessContext
  readonly #atOnceMax: number
  readonly #running = new Set<Promise<void>>()
  readonly #stopping = new AbortController()

  constructor(ctx: ProcessContext, { atOnceMax = 4 } = {}) {
    this.#ctx = ctx
    this.#atOnceMax = atOnceMax
  }

  get isFull(): boolean {
    return this.#running.size >= this.#atOnceMax
  }

  /** Begins with as many as there is room for. */
  async look(): Promise<void> {
    while (!this.isFull && !this.#stopping.signal.aborted) {
      const claim = this.#ctx.newId()
      const now = this.#ctx.now()
      // Longer than any batch takes: then whoever worked on it is gone.
      const since = new Date(now.getTime() - this.#ctx.config.leaseMs)
      const found = await claimImport(this.#ctx.db, claim, now, since)
      if (!found) return
      const ctx = inWorkspace(this.#ctx, found.workspace_id)
      const work = runImport(ctx, { ...found, claim }, this.#stopping.signal)
      this.#running.add(work)
      void work.finally(() => this.#running.delete(work))
    }
  }

  /** Resolves once nothing is being worked on any more. */
  async idle(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Ends after the batch that is under way; what is left is claimed again by another. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.idle()
  }
}

interface Claimed {
  workspace_id: string
  id: string
  claim: string
}

async function runImport(ctx: Context, claimed: Claimed, signal: AbortSignal): Promise<void> {
  try {
    await readAndWrite(ctx, claimed, signal).catch((error) => endByRefusal(ctx, claimed, error))
  } catch (error) {
    // It is taken up again where it stopped, or where the workspace goes.
    if (movingOf(error)) return
    ctx.log.error({ import: claimed.id, ...describeError(error) }, 'an import is tried again')
  }
}

/** What was refused once is refused again. */
function endByRefusal(ctx: Context, claimed: Claimed, error: unknown): Promise<void> {
  if (!(error instanceof AppError)) throw error
  return finish(ctx, claimed, error.message, true)
}

async function readAndWrite(ctx: Context, claimed: Claimed, signal: AbortSignal) {
  const begun = await queries.findImport(ctx.db, claimed.workspace_id, claimed.id)
  if (!begun?.format || !begun.preview || !begun.mapping || begun.claim !== claimed.claim) return
  const done = begun.row_done
  // Of the whole file, so that a check tells what an import does, whatever the batches.
  const seen = new Fingerprints()
  let bytes = 0
  async function* parts() {
    for (let number = 1; number <= (begun?.parts_total ?? 0); number++) {
      const part = await queries.findPart(ctx.db, claimed.workspace_id, claimed.id, number)
      // It was cancelled meanwhile.
      if (!part) return
      for (let at = 0; at < part.length; at += pieceBytes) {
        const piece = part.subarray(at, at + pieceBytes)
        bytes += piece.length
        yield piece
      }
    }
  }
  const { headings } = begun.preview
  let batch: ReadRow[] = []
  let problem: string | null = null
  let heardOfMs = ctx.now().getTime()
  /** Rows that are done are read anew by whoever takes the import up, which may take longer than a lease. */
  const isOurs = async () => {
    const now = ctx.now()
    if (now.getTime() - heardOfMs < ctx.config.leaseMs / 3) return true
    heardOfMs = now.getTime()
    return queries.renewClaim(ctx.db, claimed, now)
  }
  try {
    for await (const rows of readRows(parts(), begun.format, headings, begun.mapping)) {
      if (signal.aborted || !(await isOurs())) return
      for (const row of rows) {
        const unique = withoutRepeated(row, seen)
        if (row.number <= done) continue
        batch.push(unique)
        if (batch.length < batchRows) continue
        if (signal.aborted || !(await writeBatch(ctx, claimed, batch, bytes))) return
        batch = []
      }
    }
  } catch (error) {
    if (!(error instanceof BrokenFile)) throw error
    problem = error.message
  }
  if (signal.aborted) return
  if (batch.length > 0 && !(await writeBatch(ctx, claimed, batch, bytes))) return
  await finish(ctx, claimed, problem, false)
}

function withoutRepeated(row: ReadRow, seen: Fingerprints): ReadRow {
  if (!('lead' in row) || seen.add(row.folded)) return row
  return { number: row.number, skipped: skippedRow(row, 'duplicate_in_file') }
}

type GoodRow = Extract<ReadRow, { folded: string }>

const skippedRow = (row: GoodRow, reason: FileSkipReason): SkippedRow => ({
  ...{ row: row.number, email: row.lead.email, reason, column: null, fields: row.fields },
})

/** Of who is known already, or wants no mail, nothing in the file can be mended, and nothing more is kept. */
const mendable = new Set<FileSkipReason>([
  ...(['invalid_email', 'too_long', 'wrong_encoding', 'invalid_characters'] as const),
  ...(['too_many_fields', 'too_many_variables'] as const),
])

const reasonInFile = (reason: AddedLeads['skipped_leads'][number]['reason']): FileSkipReason =>
  reason === 'duplicate_in_request' ? 'duplicate_in_file' : reason

/**
 * Adds the leads of some rows and notes how far it came, in one transaction: whoever takes the import
 * up again after a kill repeats nothing.
 *
 * @returns whether it is still ours to go on with
 */
async function writeBatch(
  ctx: Context,
  { workspace_id, id, claim }: Claimed,
  batch: ReadRow[],
  bytes: number,
): Promise<boolean> {
  return transaction(ctx, async (tx) => {
    const row = await queries.lockImport(tx.db, workspace_id, id)
    if (!row || row.claim !== claim || !row.campaign_id) return false
    const isCheck = row.state === 'checking'
    if (!isCheck && row.state !== 'running') return false
    const counted = countedIn(row)
    const counts = row[counted] ?? nothing()
    const good = batch.filter((each): each is GoodRow => 'lead' in each)
    const skipped = batch.flatMap((each) => ('skipped' in each ? [each.skipped] : []))
    if (good.length > 0) {
      const { campaign_id, duplicates } = row
      const input = {
        ...{ campaign_id, leads: good.map(({ lead }) => lead) },
        overwrite: duplicates === 'update',
        skip_if_in_workspace: duplicates === 'skip_anywhere',
      }
      const full: number[] = []
      const added = await addLeads(tx, workspace_id, input, {
        isDryRun: isCheck,
        isFile: true,
        leaveOut: (indexes) => void full.push(...indexes),
      })
      counts.added += added.leads_uploaded
      counts.updated += added.leads_updated
      counts.remaining_in_plan = added.remaining_in_plan
      const leftOut = [
        ...added.skipped_leads.map(({ index, reason }) => ({
          index,
          reason: reasonInFile(reason),
        })),
        ...full.map((index) => ({ index, reason: 'too_many_variables' as const })),
      ]
      for (const { index, reason } of leftOut) {
        const lead = good[index]
        if (lead) skipped.push(skippedRow(lead, reason))
      }
    }
    skipped.sort((a, b) => a.row - b.row)
    let kept = [...mendable].reduce((sum, reason) => sum + (counts.skipped[reason] ?? 0), 0)
    const short = skipped.map(({ fields: _, ...row }) => row)
    if (skipped.length > 0) {
      const rows = skipped.map((row, at) =>
        mendable.has(row.reason) && kept++ < keptRowsMax ? row : (short[at] ?? row),
      )
      await queries.insertSkipped(tx.db, workspace_id, id, isCheck, rows)
    }
    counts.rows += batch.length
    for (const { reason } of skipped) counts.skipped[reason] = (counts.skipped[reason] ?? 0) + 1
    counts.first_skipped = [...counts.first_skipped, ...short].slice(0, shownMax)
    row[counted] = counts
    row.row_done = batch.at(-1)?.number ?? row.row_done
    row.bytes_done = bytes
    row.timestamp_claimed = tx.now()
    await update(tx, row)
    return true
  })
}

const nothing = (): Counts => ({
  ...{ rows: 0, added: 0, updated: 0, skipped: {}, remaining_in_plan: null, problem: null },
  first_skipped: [],
})

/** @param isFailed nothing more can be done; else `problem` is why the rest of the file cannot be read */
function finish(
  ctx: Context,
  { workspace_id, id, claim }: Claimed,
  problem: string | null,
  isFailed: boolean,
): Promise<void> {
  return transaction(ctx, async (tx) => {
    const row = await queries.lockImport(tx.db, workspace_id, id)
    if (!row || row.claim !== claim) return
    const isCheck = row.state === 'checking'
    if (!isCheck && row.state !== 'running') return
    if (isFailed || (problem !== null && !isCheck)) {
      const isBegun = !isCheck && row.row_done > 0
      const before = isBegun ? ` Rows up to ${row.row_done} were imported before.` : ''
      await end(tx, row, 'failed', `${problem}${before}`)
      return
    }
    const counted = countedIn(row)
    const counts = row[counted] ?? nothing()
    if (isCheck && counts.remaining_in_plan !== null && counts.added > counts.remaining_in_plan) {
      counts.problem = `The plan has room for ${counts.remaining_in_plan} more leads, and the file has ${counts.added}. Ask the operator for more, or take rows out.`
    }
    counts.problem ??= problem
    row[counted] = counts
    row.bytes_done = row.file_bytes
    if (!isCheck) {
      await end(tx, row, 'finished')
      return
    }
    row.state = 'checked'
    row.claim = null
    await update(tx, row)
  })
}
