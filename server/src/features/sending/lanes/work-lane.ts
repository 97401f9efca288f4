import type { Batcher } from '../../../kernel/batcher.ts'
import { inWorkspace, type ProcessContext } from '../../../kernel/context.ts'
import { isNotFound } from '../../../kernel/errors.ts'
import { describeError } from '../../../kernel/log.ts'
import { MailFailure } from '../../../kernel/mail/index.ts'
import type { ClaimedMail, NextAction } from '../next-mail/next-action.ts'
import { createPlanBatcher } from '../next-mail/plan-batcher.ts'
import { repliesMax, sendWaitingReplies } from '../replies/send-waiting-replies.ts'
import { classifyFailure } from '../transmit/classify-failure.ts'
import { type Draft, draftMail, draftNext } from '../transmit/draft.ts'
import { abandonMail, type MailboxFailure, releaseMail, sendMail } from '../transmit/send-mail.ts'
import type { Lane } from './lane.ts'
import type { LaneRow } from './lane-queries.ts'
import type { MailboxSlots } from './mailbox-slots.ts'
import { recordMailboxFailure, recordRecovery } from './record-mailbox-failure.ts'
import type { SenderParts } from './sender-parts.ts'

interface LaneWorkerOptions {
  slots: Pick<MailboxSlots, 'renew' | 'noteFailure' | 'noteSuccess'>
  /** Whether this runner may still start something of it. */
  isOurs: (lane: Lane) => boolean
  /** Called once per mail whose result is in the ledger. */
  onSettled?: (mail: ClaimedMail) => void
}

/** Claimed mails of one mailbox that leave one after the other. */
interface Batch {
  size: number
  /** Not tried yet. */
  waiting: ClaimedMail[]
  /** Made ahead, of the first of those that wait. */
  drafts: Draft[]
}

/** Results of one mailbox on their way into the ledger, when nothing has to pass between two mails. */
const settlingMax = 64
const refusalPauseMs = 50
const refusalPauseMaxMs = 2_000
const failurePauseMs = 1_000
/** A batch is claimed for a second; what of it is not sent by then is planned anew. */
const slowBurstMs = 5_000

/**
 * What a mailbox does that has a slot, one thing after the other until it sleeps:
 *
 *   asleep ──▶ waiting ──▶ planning ──▶ sending a batch of claimed mails ──▶ planning
 *                              ├──▶ replying: some replies of people come first ──▶ planning
 *                              ├──▶ settling: results may change the plan ──▶ planning
 *                              ├──▶ pausing: its claims were refused ──▶ planning
 *                              ├──▶ probing: a login tells whether it works again ──▶ planning
 *                              └──▶ asleep, or another runner's: it gives its slot back
 *
 * While it sends a batch without gaps, the next one is planned and claimed (`Lane.ahead`) and results
 * are committed (`Lane.settling`); both end before it sleeps, and a failure of its mailbox gives back
 * whatever it had claimed.
 */
export class LaneWorker {
  readonly #ctx: ProcessContext
  readonly #options: LaneWorkerOptions
  readonly #parts: SenderParts
  readonly #planBatcher: Batcher<Lane, NextAction>

  constructor(ctx: ProcessContext, parts: SenderParts, options: LaneWorkerOptions) {
    this.#ctx = ctx
    this.#options = options
    this.#parts = parts
    this.#planBatcher = createPlanBatcher(ctx, parts)
  }

  async work(lane: Lane) {
    try {
      await this.#goOn(lane)
    } catch (error) {
      lane.isInDoubt = true
      // One that was removed is nobody's any more: what was claimed of it is given back all the same.
      if (!isNotFound(error)) {
        this.#ctx.log.error(describeError(error), 'a mailbox is looked after again later')
      }
      await this.#ctx.sleep(failurePauseMs)
    } finally {
      await this.#releaseAhead(lane)
      await Promise.allSettled(lane.settling)
    }
  }

  async #goOn(lane: Lane) {
    while (this.#options.isOurs(lane)) {
      const planned = lane.ahead ?? this.#plan(lane)
      lane.ahead = undefined
      const action = await planned
      this.#options.slots.renew(lane)
      switch (action.kind) {
        case 'left':
          lane.isInDoubt = true
          return
        case 'asleep':
          return
        case 'again':
          await this.#pauseAfterRefusal(lane)
          break
        case 'settle':
          await Promise.allSettled(lane.settling)
          break
        case 'reply':
          await this.#sendReplies(lane, action.row)
          break
        case 'probe':
          await this.#probe(lane, action.row)
          break
        case 'send':
          await this.#send(lane, action.mails)
      }
    }
  }

  #plan(lane: Lane): Promise<NextAction> {
    lane.isWoken = false
    return this.#planBatcher.add(lane)
  }

  /** The connection does not stand still while the next mails are looked for. */
  #planAhead(lane: Lane) {
    lane.ahead = this.#plan(lane)
    // Its error is for whoever awaits it later.
    lane.ahead.catch(() => undefined)
  }

  /** What was planned is not done. */
  async #releaseAhead(lane: Lane) {
    const action = await lane.ahead?.catch(() => {
      lane.isInDoubt = true
    })
    lane.ahead = undefined
    if (action?.kind === 'send') this.#release(lane, action.mails)
  }

  async #send(lane: Lane, mails: ClaimedMail[]) {
    const startedMs = this.#ctx.monotonicMs()
    const batch: Batch = { size: mails.length, waiting: [...mails], drafts: [] }
    lane.isSending = true
    lane.owesCampaigns = false
    try {
      await this.#sendAll(lane, batch, startedMs)
    } finally {
      lane.isSending = false
      const tried = Math.max(1, batch.size - batch.waiting.length)
      lane.mailMs = (this.#ctx.monotonicMs() - startedMs) / tried
    }
  }

  async #sendAll(lane: Lane, batch: Batch, startedMs: number) {
    const { waiting } = batch
    while (waiting.length > 0 && this.#options.isOurs(lane)) {
      const { mailbox, mailboxFailure, isRefused } = await this.#sendNext(lane, batch)
      if (mailboxFailure) {
        this.#options.slots.noteFailure(lane)
        this.#giveBack(lane, batch)
        await this.#releaseAhead(lane)
        await this.#recordFailure(lane, mailbox, mailboxFailure)
        return
      }
      // A refused mark mostly means that the whole batch is stale (paused, window closed): the rest is
      // given back instead of logging in for each. So it is when the server has become slow.
      const isSlow = waiting.length > 0 && this.#ctx.monotonicMs() - startedMs > slowBurstMs
      if (isRefused || isSlow) {
        await this.#releaseAhead(lane)
        break
      }
    }
    this.#giveBack(lane, batch)
  }

  /**
   * A function of its own, since one that waits keeps what its variables held last: a mailbox that
   * waits for room would keep the mail before, which may have a megabyte.
   */
  async #sendNext(lane: Lane, batch: Batch) {
    const { waiting, drafts, size } = batch
    const draft = await this.#makeDrafts(lane, batch)
    const mail = draft.claimed
    drafts.shift()
    waiting.shift()
    const goesOn = mail.gapMs === 0
    if (goesOn && !lane.ahead && waiting.length <= size / 2) this.#planAhead(lane)
    const { mailboxFailure, isRefused, settled } = await this.#sendOne(lane, draft, batch)
    if (!mailboxFailure && 'mail' in draft.made) this.#options.slots.noteSuccess(lane)
    this.#settling(lane, mail, settled.finally(draft.free))
    const most = goesOn && !mailboxFailure ? settlingMax : 1
    while (lane.settling.size >= most) await Promise.race(lane.settling)
    return { mailbox: mail.mailbox, mailboxFailure, isRefused }
  }

  #giveBack(lane: Lane, { waiting, drafts }: Batch) {
    for (const { free } of drafts) free()
    this.#release(lane, waiting)
  }

  /**
   * The next mail, and those behind it that leave over the same connection at once, as far as there is
   * room for them.
   */
  async #makeDrafts(lane: Lane, { waiting, drafts }: Batch): Promise<Draft> {
    const [mail] = waiting as [ClaimedMail]
    const first = drafts[0] ?? (await draftMail(this.#ctx, mail, this.#parts))
    drafts[0] = first
    const most = mail.gapMs === 0 ? 1 + Math.max(1, lane.marksAhead) : 1
    for (const next of waiting.slice(drafts.length, most)) {
      const draft = await draftNext(this.#ctx, next, this.#parts)
      if (!draft) break
      drafts.push(draft)
    }
    return first
  }

  /** Whatever goes wrong, its row and those of the mails behind it do not stay open. */
  async #sendOne(lane: Lane, draft: Draft, batch: Batch) {
    try {
      return await sendMail(this.#ctx, lane, draft, batch.drafts, this.#parts)
    } catch (error) {
      const { claimed } = draft
      draft.free()
      this.#settling(lane, claimed, abandonMail(this.#ctx, claimed, this.#parts))
      this.#giveBack(lane, batch)
      throw error
    }
  }

  #release(lane: Lane, mails: ClaimedMail[]) {
    for (const mail of mails) {
      this.#settling(lane, mail, releaseMail(this.#ctx, mail, this.#parts))
    }
  }

  #settling(lane: Lane, mail: ClaimedMail, settled: Promise<boolean>) {
    const done = settled
      .then((changed) => {
        if (changed) this.#options.onSettled?.(mail)
      })
      .catch((error) => {
        lane.isInDoubt = true
        this.#ctx.log.error(describeError(error), 'a result was not recorded')
      })
      .finally(() => {
        lane.settling.delete(done)
        this.#parts.prefetch.release(mail.claim.lead_id)
      })
    lane.settling.add(done)
  }

  async #recordFailure(lane: Lane, row: LaneRow, mailboxFailure: MailboxFailure) {
    await Promise.allSettled(lane.settling)
    await recordMailboxFailure(this.#ctx, row, mailboxFailure)
  }

  /** Sends the replies that wait. Where another process claimed it, the next plan knows. */
  async #sendReplies(lane: Lane, row: LaneRow) {
    const count = await sendWaitingReplies(
      inWorkspace(this.#ctx, lane.workspaceId),
      lane,
      row,
      this.#parts,
    )
    lane.refusals = count === 0 ? lane.refusals + 1 : 0
    lane.owesCampaigns = count === repliesMax
    await this.#pauseAfterRefusal(lane)
  }

  /** Whether the mailbox works again: a login tells, without a mail. */
  async #probe(lane: Lane, row: LaneRow) {
    const { connections } = this.#parts
    try {
      connections.putBack(lane.mailboxId, await connections.open(row))
    } catch (failure) {
      if (!(failure instanceof MailFailure)) throw failure
      const { trouble } = classifyFailure(failure, {
        ...{ attempt: 1, now: this.#ctx.now(), random: this.#ctx.random() },
      })
      const mailboxFailure = { failure, trouble: trouble ?? { needsPerson: true, pauseMs: null } }
      this.#options.slots.noteFailure(lane)
      await this.#recordFailure(lane, row, mailboxFailure)
      return
    }
    this.#options.slots.noteSuccess(lane)
    await recordRecovery(this.#ctx, row)
  }

  /** What the plan did not know, the next one does; still, nobody asks in a tight circle. */
  async #pauseAfterRefusal({ refusals }: Lane) {
    if (refusals < 2) return
    await this.#ctx.sleep(Math.min(refusalPauseMaxMs, refusalPauseMs * 2 ** refusals))
  }
}
