import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { type ListenForHints, readHint } from '../../kernel/runner/hint.ts'
import { type Scope, withoutLeader } from '../../kernel/runner/leader.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import { startLoop } from '../../kernel/runner/loop.ts'
import { type MailboxOwner, readingKind } from '../mailbox-lanes/index.ts'
import { findMailboxesToRead } from './cross-workspace.ts'
import { type Following, followMailbox } from './reading/follow-mailbox.ts'
import { ImapConnectionSlots } from './reading/imap-connection-slots.ts'
import type { ReadOptions } from './reading/read-mailbox.ts'
import { ReadingSlots } from './reading/reading-slots.ts'

interface InboxRunnerOptions extends Pick<ReadOptions, 'onRead'> {
  /** Whether nobody may log in anywhere: the database was put back, and nobody has confirmed it. */
  holdsAll?: () => boolean
  listen?: ListenForHints
  /** While it hears of a leader, it hears of changes, too. */
  scope?: () => Scope
}

export interface InboxRunner {
  mailboxesRead: () => number
  imapConnections: () => number
  /** Mailboxes that wait until an IMAP connection may be opened for them. */
  mailboxesWaiting: () => number
  stop: () => Promise<void>
}

const lookEveryMs = 5_000
/** Where hints are heard: what none told of is found so late. */
const unhintedEveryMs = 60_000
const reviewEveryMs = 1_000

/**
 * Reads the mail of the mailboxes that this process owns. Hints tell which have changed, so that the
 * database is not asked every few seconds; who hears none asks.
 */
export function startInboxRunner(
  ctx: ProcessContext,
  owner: MailboxOwner,
  options: InboxRunnerOptions = {},
): InboxRunner {
  const { holdsAll = () => false, listen, scope = withoutLeader, ...reading } = options
  const followed = new Map<string, Following>()
  const readingSlots = new ReadingSlots(ctx)
  const connectionSlots = new ImapConnectionSlots(ctx, { max: ctx.config.imapConnectionsMax })
  const leave = (ids: string[]) =>
    Promise.all(
      ids.map((id) => {
        const following = followed.get(id)
        followed.delete(id)
        return following?.stop()
      }),
    )
  const follow = (mailbox: Parameters<typeof followMailbox>[1]) => {
    const holds = () => owner.holds(bucketOf(mailbox.id)) && !holdsAll()
    const following = followMailbox(inWorkspace(ctx, mailbox.workspace_id), mailbox, {
      ...reading,
      holds,
      readingSlots,
      connectionSlots,
      owner,
    })
    followed.set(mailbox.id, following)
    // A lease that was late ends it, too: the next look begins anew.
    void following.ended.then(() => {
      readingSlots.forget(mailbox.id)
      if (followed.get(mailbox.id) !== following) return
      followed.delete(mailbox.id)
      nextLookMs = 0
    })
  }
  /** Before that there is nothing to look for, but what a hint tells of. */
  let nextLookMs = 0
  let isHinted = false
  /** @returns whether everything is read that is to be read */
  const look = async () => {
    const mailboxes = holdsAll() ? [] : await findMailboxesToRead(ctx.db, owner.buckets())
    const wanted = new Map(mailboxes.map(({ id, imap_version }) => [id, imap_version]))
    // With other settings it may be another server's: the connection to the old one ends.
    const isOver = ({ mailbox }: Following) => wanted.get(mailbox.id) !== mailbox.imap_version
    await leave([...followed.values()].filter(isOver).map(({ mailbox }) => mailbox.id))
    for (const { is_failing, ...mailbox } of mailboxes) {
      const following = followed.get(mailbox.id)
      if (following && !is_failing) following.tryMended()
      if (!following && owner.holds(bucketOf(mailbox.id))) follow(mailbox)
    }
    return !holdsAll() && mailboxes.every(({ id }) => followed.has(id))
  }
  const looking = startLoop(ctx, 'inboxes', lookEveryMs, async (told) => {
    if (scope() === 'none' && !told && ctx.monotonicMs() < nextLookMs) return
    nextLookMs = ctx.monotonicMs() + unhintedEveryMs
    const isDone = await look().catch((error) => {
      nextLookMs = 0
      throw error
    })
    if (!isDone) nextLookMs = 0
  })
  const reviewing = startLoop(ctx, 'inbox turns', reviewEveryMs, async () => {
    connectionSlots.review()
    readingSlots.review()
    // However many mailboxes change at once, it is one look a second.
    if (isHinted) looking.wake()
    isHinted = false
  })
  const unlisten = listen?.((hint) => {
    if (readHint(hint, readingKind, owner.buckets())) isHinted = true
  })
  const end = owner.begin({
    taken: () => looking.wake(),
    drained: async (buckets) => {
      const leaving = new Set(buckets)
      await leave([...followed.keys()].filter((id) => leaving.has(bucketOf(id))))
    },
  })
  return {
    mailboxesRead: () => followed.size,
    imapConnections: () => connectionSlots.open,
    mailboxesWaiting: () => connectionSlots.waiting,
    async stop() {
      await (await unlisten)?.()
      await Promise.all([looking.stop(), reviewing.stop()])
      await leave([...followed.keys()])
      end()
    },
  }
}
