import type { Context } from '../../kernel/context.ts'
import { FairSemaphore } from '../../kernel/runner/fair-semaphore.ts'
import { bucketOf } from '../../kernel/runner/leases.ts'
import { startLoop } from '../../kernel/runner/loop.ts'
import type { MailboxOwner } from '../mailbox-lanes/index.ts'
import { findMailboxesToRead } from './cross-workspace.ts'
import { type Following, followMailbox } from './follow-mailbox.ts'
import { ImapPlaces } from './imap-places.ts'
import type { ReadOptions } from './read-mailbox.ts'

interface InboxRunnerOptions extends Pick<ReadOptions, 'onRead'> {
  /** Whether nobody may log in anywhere: the database was put back, and nobody has confirmed it. */
  isHeld?: () => boolean
}

export interface InboxRunner {
  mailboxesRead: () => number
  imapConnections: () => number
  /** Mailboxes that wait until an IMAP connection may be opened for them. */
  mailboxesWaiting: () => number
  stop: () => Promise<void>
}

const lookEveryMs = 5_000
/** Mailboxes that are read at once: each may hold a few MB. All the others only listen. */
const readingMax = 16
const readingOfWorkspaceMax = 12
const reviewEveryMs = 1_000

/** Reads the mail of the mailboxes that this process owns. */
export function startInboxRunner(
  ctx: Context,
  owner: MailboxOwner,
  options: InboxRunnerOptions = {},
): InboxRunner {
  const { isHeld = () => false, ...reading } = options
  const followed = new Map<string, Following>()
  const semaphore = new FairSemaphore(readingMax, readingOfWorkspaceMax)
  const places = new ImapPlaces(ctx, { max: ctx.config.imapConnectionsMax })
  const leave = (ids: string[]) =>
    Promise.all(
      ids.map((id) => {
        const following = followed.get(id)
        followed.delete(id)
        return following?.stop()
      }),
    )
  const follow = (mailbox: Parameters<typeof followMailbox>[1]) => {
    const holds = () => owner.holds(bucketOf(mailbox.id)) && !isHeld()
    const following = followMailbox(ctx, mailbox, { ...reading, holds, semaphore, places, owner })
    followed.set(mailbox.id, following)
    // A lease that was late ends it, too: the next look begins anew.
    void following.ended.then(() => {
      if (followed.get(mailbox.id) === following) followed.delete(mailbox.id)
    })
  }
  const looking = startLoop(ctx, 'inboxes', lookEveryMs, async () => {
    const mailboxes = isHeld() ? [] : await findMailboxesToRead(ctx.db, owner.buckets())
    const wanted = new Map(mailboxes.map(({ id, imap_version }) => [id, imap_version]))
    // With other settings it may be another server's: the connection to the old one ends.
    const isOver = ({ mailbox }: Following) => wanted.get(mailbox.id) !== mailbox.imap_version
    await leave([...followed.values()].filter(isOver).map(({ mailbox }) => mailbox.id))
    for (const mailbox of mailboxes) {
      if (!followed.has(mailbox.id) && owner.holds(bucketOf(mailbox.id))) follow(mailbox)
    }
  })
  const reviewing = startLoop(ctx, 'inbox turns', reviewEveryMs, async () => places.review())
  const end = owner.begin({
    taken: () => looking.wake(),
    drained: async (buckets) => {
      const leaving = new Set(buckets)
      await leave([...followed.keys()].filter((id) => leaving.has(bucketOf(id))))
    },
  })
  return {
    mailboxesRead: () => followed.size,
    imapConnections: () => places.open,
    mailboxesWaiting: () => places.waiting,
    async stop() {
      await Promise.all([looking.stop(), reviewing.stop()])
      await leave([...followed.keys()])
      end()
    },
  }
}
