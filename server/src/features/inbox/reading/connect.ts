import type { Context } from '../../../kernel/context.ts'
import type { ImapConnection } from '../../../kernel/mail/index.ts'
import { connectMailboxImap } from '../../mailboxes/index.ts'
import type { InboxMailbox } from '../inbox-mailbox.ts'

/** @returns nothing when it was given up meanwhile @throws as connectMailboxImap does */
export async function connect(
  ctx: Context,
  { workspace_id, id }: Pick<InboxMailbox, 'workspace_id' | 'id'>,
  signal: AbortSignal,
): Promise<ImapConnection | null> {
  const connecting = connectMailboxImap(ctx, workspace_id, id)
  const { promise: aborted, resolve } = Promise.withResolvers<null>()
  const giveUp = () => resolve(null)
  signal.addEventListener('abort', giveUp)
  if (signal.aborted) giveUp()
  try {
    const opened = await Promise.race([connecting, aborted])
    if (opened) return opened.connection
  } finally {
    // The signal lives as long as the mailbox is ours.
    signal.removeEventListener('abort', giveUp)
  }
  connecting.then(
    ({ connection }) => connection[Symbol.asyncDispose](),
    () => undefined,
  )
  return null
}
