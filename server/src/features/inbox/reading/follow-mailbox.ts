import type { Context } from '../../../kernel/context.ts'
import { readDatabaseTime } from '../../../kernel/db/instance.ts'
import { describeError } from '../../../kernel/log.ts'
import { type ImapConnection, MailFailure } from '../../../kernel/mail/index.ts'
import { Listening, type MailboxOwner } from '../../mailbox-lanes/index.ts'
import type { InboxMailbox } from '../inbox-mailbox.ts'
import { connect } from './connect.ts'
import type { ImapConnectionSlots } from './imap-connection-slots.ts'
import { type ReadOptions, readInbox, readMailbox } from './read-mailbox.ts'
import type { ReadingSlots } from './reading-slots.ts'
import { reportReading, reportTrouble } from './reading-trouble.ts'
import { Refusals } from './refusals.ts'

/** Reading a mailbox, for as long as it is ours. */
export interface Following {
  mailbox: InboxMailbox
  /** Resolves when it is read no more, for whatever reason. */
  ended: Promise<void>
  /** Its owner knows of no trouble, any more: a pause after trouble that they were told of ends. */
  tryMended: () => void
  stop: () => Promise<void>
}

export interface FollowOptions extends Pick<ReadOptions, 'onRead'> {
  /** Whether it is still ours to read. */
  holds: () => boolean
  readingSlots: ReadingSlots
  connectionSlots: ImapConnectionSlots
  owner: MailboxOwner
}

/**
 * One connection listens in the inbox; the other folders are looked at in between. Readings older than
 * three times as long do not count for sending.
 */
const idleMs = 5 * 60_000
const retryMinMs = 5_000
const retryMaxMs = 15 * 60_000
/** Trouble of our database is no reason to leave a mail server alone: follow-ups wait for it. */
const retryHereMaxMs = 15_000

/**
 * Reads what comes into a mailbox as it comes. A connection that breaks is made anew, later each
 * time until one has read everything; trouble that does not pass is told to the owner once.
 *
 *   waiting for a slot ──▶ connecting ──▶ reading all folders ──▶ listening
 *   listening ──▶ reading Sent, then the inbox: a mail has come ──▶ listening
 *             ──▶ visited: a copy is filed, or a mail looked for ──▶ reading the inbox
 *             ──▶ reading all folders, after five minutes
 *             ──▶ waiting for a slot: other mailboxes have their turn
 *   broken, wherever it was ──▶ pausing, at most until it is mended ──▶ waiting for a slot
 *
 * It ends from everywhere when it is stopped, or the lease is lost.
 */
export function followMailbox(
  ctx: Context,
  mailbox: InboxMailbox,
  { holds, readingSlots, connectionSlots, owner, ...options }: FollowOptions,
): Following {
  const stopping = new AbortController()
  const { signal } = stopping
  const goesOn = () => !signal.aborted && holds()
  const refusals = new Refusals()
  const reading = { ...options, goesOn, refusals }

  const read = async (onRead: () => void) => {
    using slot = await connectionSlots.take(mailbox.workspace_id, signal)
    if (!slot) return
    await using imap = await connect(ctx, mailbox, signal)
    if (!imap) return
    const listening = new Listening(imap)
    using _visits = owner.listens(mailbox.id, listening)
    const isOver = AbortSignal.any([signal, slot.isOver])
    // A command that waits for the server fails at once, not when the server has answered.
    const close = () => void imap[Symbol.asyncDispose]()
    signal.addEventListener('abort', close)
    try {
      for (let last: Date | null = null; goesOn() && !slot.isOver.aborted; ) {
        const startedMs = ctx.monotonicMs()
        const { at, refused, ...folders } = await readingSlots.run(
          mailbox.workspace_id,
          mailbox.id,
          async () => ({
            at: await readDatabaseTime(ctx.db),
            ...(await readMailbox(ctx, imap, mailbox, reading)),
          }),
        )
        if (refused) throw refused
        if (!goesOn()) return
        await reportReading(ctx, mailbox, { at, last })
        last = at
        onRead()
        const readNew = () =>
          readingSlots.run(mailbox.workspace_id, mailbox.id, () =>
            readInbox(ctx, imap, mailbox, folders, reading),
          )
        // Last, and with nothing in between: what comes from here on is told while listening.
        await readNew()
        await listen(ctx, imap, listening, readNew, goesOn, startedMs + idleMs, isOver)
      }
    } finally {
      signal.removeEventListener('abort', close)
    }
  }

  /** Ends the pause after trouble that was told. */
  let mended: AbortController | undefined
  const run = async () => {
    let failures = 0
    while (goesOn()) {
      try {
        await read(() => {
          failures = 0
          refusals.forget()
        })
      } catch (error) {
        if (!goesOn()) return
        failures = refusals.hasGoneOn() ? 1 : failures + 1
        const isTold = await reportTrouble(ctx, mailbox, error, failures)
        const longestMs = error instanceof MailFailure ? retryMaxMs : retryHereMaxMs
        const waitMs = Math.min(longestMs, retryMinMs * 2 ** (failures - 1))
        mended = isTold ? new AbortController() : undefined
        const isOver = mended ? AbortSignal.any([signal, mended.signal]) : signal
        await ctx.sleep(waitMs * (0.8 + 0.4 * ctx.random()), isOver)
        if (mended?.signal.aborted) failures = 0
      }
    }
  }
  const ended = run().catch((error) =>
    ctx.log.error({ mailbox: mailbox.id, ...describeError(error) }, 'a mailbox is read anew'),
  )
  return {
    mailbox,
    ended,
    tryMended: () => mended?.abort(),
    stop() {
      stopping.abort()
      return ended
    },
  }
}

/** Until it is time to look at the other folders, or to let another mailbox have the connection's slot. */
async function listen(
  ctx: Context,
  imap: ImapConnection,
  listening: Listening,
  readNew: () => Promise<unknown>,
  goesOn: () => boolean,
  untilMs: number,
  signal: AbortSignal,
) {
  while (goesOn() && !signal.aborted) {
    if (!imap.isOpen) throw new MailFailure('imap', 'closed')
    const leftMs = untilMs - ctx.monotonicMs()
    if (leftMs <= 0) return
    if ((await listening.idle(leftMs, signal)) === 'changed' && goesOn()) await readNew()
  }
}
