import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { parseEmail } from '../../kernel/email.ts'
import type { ImapConnection } from '../../kernel/mail/index.ts'
import { addMessageIds, findByMessageIds } from '../messages/index.ts'
import { type InboundMessage, parseMessage } from './classify/message.ts'
import * as queries from './queries.ts'
import type { ReadMailbox } from './read-mailbox.ts'

/** The headers are enough. */
const sourceBytesMax = 16 * 1024
const mailsMax = 500

/**
 * Some providers put a Message-ID of their own in the place of ours, and answers then refer to that
 * one. The copy in the folder of sent mail tells it.
 */
export async function learnProviderIds(
  ctx: Context,
  imap: ImapConnection,
  { workspace_id, id }: ReadMailbox,
  folder: string,
): Promise<void> {
  const { uidValidity, uidNext } = await imap.select(folder)
  const checkpoint = await queries.lockCheckpoint(ctx.db, workspace_id, id, folder)
  const isKnown = checkpoint?.uid_validity === uidValidity
  const from = isKnown ? checkpoint.next_uid : Math.max(1, uidNext - mailsMax)
  const mails: InboundMessage[] = []
  if (uidNext > from) {
    for await (const { source } of imap.fetch(from, { sourceBytesMax })) {
      mails.push(await parseMessage(source))
      if (mails.length >= mailsMax) break
    }
  }
  const next_uid = Math.max(from, uidNext)
  if (isKnown && next_uid === checkpoint.next_uid) return
  await transaction(ctx, async (tx) => {
    await learn(tx, workspace_id, id, mails)
    const read = { uid_validity: uidValidity, next_uid }
    await queries.saveCheckpoint(tx.db, workspace_id, id, folder, read, tx.now())
  })
}

async function learn(tx: Context, workspaceId: string, mailboxId: string, mails: InboundMessage[]) {
  const ids = mails.flatMap(({ messageId }) => messageId ?? [])
  const known = await findByMessageIds(tx.db, workspaceId, ids)
  const strange = mails.flatMap(({ messageId, to, subject, date }) => {
    const recipient = parseEmail(to[0] ?? '')?.folded
    return messageId !== null && !known.has(messageId) && recipient && date
      ? [{ known_as: messageId, recipient, subject, date }]
      : []
  })
  if (strange.length === 0) return
  const found = await queries.findSentTo(tx.db, workspaceId, mailboxId, strange)
  await addMessageIds(
    tx.db,
    found.map(({ position, id, lead_id, campaign_id }) => ({
      ...{ workspace_id: workspaceId, mailbox_id: mailboxId, id, lead_id, campaign_id },
      known_as: strange[position - 1]?.known_as ?? '',
    })),
  )
}
