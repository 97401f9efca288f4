import type { Context } from '../../kernel/context.ts'
import { bucketOf, Leases } from '../../kernel/runner/leases.ts'
import { startLoop } from '../../kernel/runner/loop.ts'
import { findMailboxesToRead } from './cross-workspace.ts'
import { type Following, followMailbox } from './follow-mailbox.ts'

export interface InboxRunner {
  mailboxesRead: () => number
  stop: () => Promise<void>
}

const lookEveryMs = 5_000

/** Reads the mail of the mailboxes whose buckets this process owns. */
export function startInboxRunner(ctx: Context): InboxRunner {
  const followed = new Map<string, { bucket: number; following: Following }>()
  const leave = async (leaves: (bucket: number) => boolean) => {
    const left = [...followed].filter(([, { bucket }]) => leaves(bucket))
    for (const [id] of left) followed.delete(id)
    await Promise.all(left.map(([, { following }]) => following.stop()))
  }
  const leases: Leases = new Leases(ctx, 'inboxes', {
    taken: () => looking.wake(),
    lost: () => undefined,
    drained: (buckets) => leave((bucket) => buckets.includes(bucket)),
  })
  const heartbeat = startLoop(ctx, 'inbox leases', ctx.config.leaseMs / 3, () => leases.beat())
  const looking = startLoop(ctx, 'inboxes', lookEveryMs, async () => {
    const mailboxes = await findMailboxesToRead(ctx.db, leases.buckets())
    const wanted = new Map(mailboxes.map((mailbox) => [mailbox.id, mailbox]))
    for (const [id, { following }] of followed) {
      if (wanted.has(id)) continue
      followed.delete(id)
      await following.stop()
    }
    for (const [id, mailbox] of wanted) {
      const bucket = bucketOf(id)
      if (followed.has(id) || !leases.holds(bucket)) continue
      const following = followMailbox(ctx, mailbox, () => leases.holds(bucket))
      followed.set(id, { bucket, following })
      // A bucket that is ours again is read again, too.
      void following.over.then(() => {
        if (followed.get(id)?.following === following) followed.delete(id)
      })
    }
  })
  return {
    mailboxesRead: () => followed.size,
    async stop() {
      await Promise.all([looking.stop(), heartbeat.stop()])
      await leave(() => true)
      await leases.release()
    },
  }
}
