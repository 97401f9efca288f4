import { type Context, inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { isTakenIn } from '../../kernel/db/failure.ts'
import { type Session, withSession } from '../../kernel/db/session.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { isUnavailable, toAppError } from '../../kernel/http/error-reply.ts'
import { describeError } from '../../kernel/log.ts'
import { counted } from '../../kernel/text.ts'
import { type AuditAction, operator, recordAudit } from '../audit/index.ts'
import { copyReplayedWeeks } from '../deliveries/index.ts'
import { clearInFlight } from '../deliveries/lane-health/index.ts'
import { copyOptOuts } from '../directory/index.ts'
import { stopOptedOut } from '../leads/index.ts'
import { hintReadings, takeInMailboxes } from '../mailbox-lanes/index.ts'
import { storeTokenForMs } from '../mailboxes/index.ts'
import { unsubscribeKept } from '../tracking/index.ts'
import { deleteTombstone, setHere, setMoved, setMoving } from '../workspaces/index.ts'
import {
  checkMove,
  hasNamesakeThere,
  MoveRefused,
  type Plan,
  refuseHeld,
  refuseMigrated,
} from './check-move.ts'
import { copyIn, copyOut } from './cross-workspace.ts'
import { lowerFence, raiseFence } from './fence.ts'
import { inSession } from './in-session.ts'
import * as queries from './queries.ts'
import { deleteAllRows } from './remains.ts'
import { takeBack } from './stay-here.ts'
import { lockPartitions, makePartitions } from './tables.ts'

/** What a move does next. From `fence` until `done` nothing of the workspace is written. */
type Step = 'drain' | 'fence' | 'copy' | 'compare' | 'switch' | 'activate' | 'clean' | 'done'

export interface Progress {
  step: Step
  /** The table that is done, of so many. */
  table?: string
  done?: number
  of?: number
  /** Copied so far. */
  rows: number
}

export interface MoveOptions {
  /** The names of both databases in the registry of shards. */
  sourceName: string
  targetName: string
  onProgress?: (progress: Progress) => void
  /** Mails that are under way are waited for so long; five minutes, if it is not given. */
  drainMs?: number
  /** So long requests to destinations that are under way may be answered and recorded; two seconds. */
  restMs?: number
}

export interface Moved {
  rows: number
  /** For so long nothing of the workspace could be written. */
  held_ms: number
  /** The workspace had been moved before: only what was left to do after that was done. */
  was_there: boolean
}

const drainForMs = 300_000
const drainLookMs = 100
/** Their results are written here then, and they are not made once more from there. */
const restForMs = 2_000

/**
 * Moves a workspace to another database while the service runs. Reading goes on; what writes is refused
 * for as long as it takes to copy the rows, as if the database were away. Nothing is lost, and no mail is
 * sent twice:
 *
 *   drain ──▶ nothing more of it is begun; mails and tokens that are under way are waited for
 *   fence ──▶ whatever writes to it is refused
 *   copy, compare ──▶ the target has all of its rows, in a transaction that is open
 *   switch ──▶ the source says that it has gone; for a moment it is nowhere
 *   activate ──▶ the target's transaction is committed: it is there
 *   clean ──▶ what an earlier move has left in the target is dropped
 *
 * What fails before `switch` is taken back. Killed anywhere, it is run again: before `activate` it begins
 * anew, after it nothing is left to do but `clean`. The rows of the source stay for an hour (`remains.ts`).
 *
 * @param source past its pooler, as the target
 * @throws MoveRefused with what to do
 */
export const moveWorkspace = (
  source: ProcessContext,
  target: ProcessContext,
  workspaceId: string,
  options: MoveOptions,
): Promise<Moved> =>
  withSession(source.db, (keeper) =>
    withSession(target.db, (taker) =>
      new Move(source, target, workspaceId, options).run(keeper, taker),
    ),
  )

class Move {
  readonly #source: ProcessContext
  readonly #target: ProcessContext
  readonly #id: string
  readonly #options: MoveOptions
  #rows = 0
  #heldSinceMs: number | undefined
  /** The move was begun, and this mover has not switched. */
  #isToTakeBack = false
  /** For a moment it may be nowhere. */
  #hasSwitched = false

  constructor(
    source: ProcessContext,
    target: ProcessContext,
    workspaceId: string,
    options: MoveOptions,
  ) {
    this.#source = source
    this.#target = target
    this.#id = workspaceId
    this.#options = options
  }

  async run(keeper: Session, taker: Session): Promise<Moved> {
    try {
      const { isThere } = await this.#switchOver(keeper, taker)
      this.#hasSwitched = false
      const heldMs = this.#source.monotonicMs() - (this.#heldSinceMs ?? this.#source.monotonicMs())
      await this.#clean().catch((error) => {
        throw isUnavailable(error) ? notCleaned(error, this.#options.targetName) : error
      })
      this.#tell('done')
      return { rows: this.#rows, held_ms: Math.round(heldMs), was_there: isThere }
    } catch (error) {
      if (this.#isToTakeBack) await this.#takeBack()
      if (this.#hasSwitched && isUnavailable(error)) throw brokenOff(error)
      throw error
    }
  }

  /**
   * The source's transaction lies within the target's and is committed first, so that never both have the
   * workspace. Each holds a lock that keeps other movers away until its end.
   */
  #switchOver(keeper: Session, taker: Session): Promise<Plan> {
    return inSession(this.#target, taker, async (there) => {
      await queries.actAsMover(there.db)
      const plan = await inSession(this.#source, keeper, async (here) => {
        await queries.actAsMover(here.db)
        const checked = await checkMove(here, there, this.#id, this.#options)
        if (checked.isThere) return checked
        this.#isToTakeBack = true
        await this.#bringOver(there, taker, checked).catch((error) => {
          // Another workspace was given the name since it was looked for.
          throw isNameTaken(error)
            ? hasNamesakeThere(checked.name, this.#options.targetName)
            : error
        })
        const { sourceName, targetName } = this.#options
        await refuseMigrated(here, sourceName)
        await refuseMigrated(there, targetName)
        await refuseHeld(this.#source, sourceName)
        this.#tell('switch')
        this.#isToTakeBack = false
        this.#hasSwitched = true
        await setMoved(inWorkspace(here, this.#id).db, this.#id, targetName)
        return checked
      })
      if (!plan.isThere) this.#tell('activate')
      return plan
    })
  }

  async #bringOver(there: ProcessContext, taker: Session, plan: Plan) {
    // First, so that upkeep there keeps the weeks that are made for it.
    await copyReplayedWeeks(this.#source.db, this.#target.db)
    await makePartitions(this.#source.db, this.#target.db, plan.tables)
    await deleteAllRows(this.#target, plan.tables, this.#id)
    await this.#copyOptOuts()
    await this.#drain()
    await this.#fence(plan)
    // From here on nothing of it is replayed. Committed at once, for others replay there meanwhile.
    await copyReplayedWeeks(this.#source.db, this.#target.db)
    // Upkeep there may have dropped weeks that nobody else needs.
    await lockPartitions(there.db, plan.tables)
    await makePartitions(this.#source.db, this.#target.db, plan.tables)
    const tx = inWorkspace(there, this.#id)
    await deleteTombstone(tx.db, this.#id)
    const sums = this.#readSums(plan)
    // Whoever compares hears of it.
    sums.catch(() => undefined)
    await this.#copy(taker, plan)
    await this.#compare(there, plan, await sums)
    // Who was told meanwhile that they are unsubscribed must not get what is due by now.
    await unsubscribeKept(tx, this.#id)
    await takeInMailboxes(tx, this.#id)
    await clearInFlight(tx.db, this.#id)
    await setHere(tx.db, this.#id)
    await recordMove(tx, this.#id, 'workspace.moved', this.#options)
  }

  async #drain() {
    const { targetName, drainMs = drainForMs, restMs = restForMs } = this.#options
    this.#tell('drain')
    const own = inWorkspace(this.#source, this.#id)
    await transaction(own, async (tx) => {
      await queries.actAsMover(tx.db)
      await setMoving(tx.db, this.#id, targetName)
      // One that is left shows in the log, which is read while nothing is written.
      await recordMove(tx, this.#id, 'workspace.move_begun', this.#options)
    })
    hintReadings(this.#source)
    const beganMs = this.#source.monotonicMs()
    for (;;) {
      const open = await this.#countUnderWay()
      const passedMs = this.#source.monotonicMs() - beganMs
      if (open === 0 && passedMs >= restMs) return
      if (passedMs >= Math.max(restMs, drainMs)) throw stillSending(open)
      await this.#source.sleep(drainLookMs)
    }
  }

  async #fence({ tables }: Plan) {
    this.#tell('fence')
    this.#heldSinceMs = this.#source.monotonicMs()
    await raiseFence(this.#source, tables, this.#id, (table, done) =>
      this.#tell('fence', { table, done, of: tables.length }),
    )
    // A claim that had begun before the workspace was to be moved may have come after the last look, and a
    // token asked for, which is stored once the fence is lowered.
    const open = await this.#countUnderWay()
    if (open > 0) throw stillSending(open)
  }

  #countUnderWay() {
    const { db, now } = inWorkspace(this.#source, this.#id)
    return queries.countUnderWay(db, this.#id, new Date(now().getTime() - storeTokenForMs))
  }

  async #copy(taker: Session, { tables }: Plan) {
    this.#tell('copy')
    await withSession(this.#source.db, async (reader) => {
      for (const [index, table] of tables.entries()) {
        const rows = reader.copyTo(copyOut(table, this.#id))
        this.#rows += await taker.copyFrom(copyIn(table), rows)
        this.#tell('copy', { table: table.name, done: index + 1, of: tables.length })
      }
    })
  }

  /** Meanwhile, for nothing changes there any more. */
  #readSums({ tables }: Plan): Promise<queries.Sum[]> {
    return transaction(inWorkspace(this.#source, this.#id), async (tx) => {
      await queries.actAsMover(tx.db)
      const sums: queries.Sum[] = []
      for (const table of tables) sums.push(await queries.readSum(tx.db, table, this.#id))
      return sums
    })
  }

  async #compare(there: ProcessContext, { tables }: Plan, sums: queries.Sum[]) {
    this.#tell('compare')
    const { db } = inWorkspace(there, this.#id)
    for (const [index, table] of tables.entries()) {
      const expected = sums[index]
      const found = await queries.readSum(db, table, this.#id)
      if (found.rows !== expected?.rows || found.checksum !== expected.checksum) {
        throw new MoveRefused(
          `${table.name} has ${expected?.rows} rows of the workspace, of which ${found.rows} came, or came otherwise. Nothing was moved. Run the command again, and report it if it says so again.`,
        )
      }
      this.#tell('compare', { table: table.name, done: index + 1, of: tables.length })
    }
  }

  /** Whom the workspace has revealed is known by the ids that they had in the database that it leaves. */
  #copyOptOuts() {
    return copyOptOuts(this.#source.db, this.#target.db)
  }

  async #clean() {
    this.#tell('clean')
    // Who asked meanwhile was removed where the workspace is no more.
    await this.#copyOptOuts()
    const own = inWorkspace(this.#target, this.#id)
    await unsubscribeKept(own, this.#id)
    await stopOptedOut(own, this.#id)
    hintReadings(this.#source)
    hintReadings(this.#target)
    // Last: it refuses nothing any more, and a table may be in use for long.
    const fenced = await queries.listFenced(this.#target.db, this.#id)
    await lowerFence(this.#target, fenced, this.#id)
  }

  async #takeBack() {
    try {
      // Another command may have completed the move meanwhile.
      await takeBack(this.#source, () => this.#target, this.#id)
    } catch (error) {
      this.#source.log.error(
        { workspace: this.#id, ...describeError(error) },
        'a move failed and could not be taken back: run it again, or cancel it',
      )
    }
  }

  #tell(step: Step, more: Omit<Progress, 'step' | 'rows'> = {}) {
    this.#options.onProgress?.({ step, rows: this.#rows, ...more })
  }
}

const recordMove = (
  tx: Context,
  workspaceId: string,
  action: AuditAction,
  { sourceName: from, targetName: to }: MoveOptions,
) =>
  recordAudit(tx, {
    ...{ workspaceId, ...operator, action, details: { from, to } },
    ...{ subjectType: 'workspace', subjectId: workspaceId },
  })

const isNameTaken = (error: unknown) =>
  isTakenIn(error, 'workspaces_name') || isTakenIn(error, 'workspaces_handle_key')

const stillSending = (open: number) =>
  new MoveRefused(
    `${counted(open, 'mail of the workspace, or login of its mailboxes, is', 'mails of the workspace, or logins of its mailboxes, are')} still under way, so nothing was moved. See "npx outrider sends list", and run the command again once they are through.`,
  )

const brokenOff = (error: unknown) =>
  new MoveRefused(
    `A database broke off at the end of the move: ${toAppError(error).message} Until the command is run again, which ends it, the workspace may be on neither shard.`,
  )

const notCleaned = (error: unknown, targetName: string) =>
  new MoveRefused(
    `The workspace is on ${targetName}, and what is done last was not: ${toAppError(error).message} Run the command again, which does it.`,
  )
