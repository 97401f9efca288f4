import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { parseEmail } from '../../../kernel/email.ts'
import type { ImapConnection } from '../../../kernel/mail/index.ts'
import { addMessageIds, findByMessageIds } from '../../messages/index.ts'
import { markArrived, setProviderIds } from '../../sending/index.ts'
import { headOf } from '../classify/bounded-source.ts'
import { type ParsedMessage, parseMessage } from '../classify/message.ts'
import type { ReadMailbox } from '../mailbox.ts'
import { findCheckpoint, saveCheckpoint } from '../reading/folder-queries.ts'
import * as queries from './provider-id-queries.ts'

/** The headers are enough. */
const sourceBytesMax = 16 * 1024
const batchMailsMax = 250
const lookBackMails = 500

/**
 * Reads the copies of what was sent. Some providers put a Message-ID of their own in the place of
 * ours, and answers then refer to that one. And what lies there was sent, if nobody knew.
 */
export async function learnProviderIds(
  ctx: Context,
  imap: ImapConnection,
  mailbox: ReadMailbox,
  folder: string,
): Promise<void> {
  const { uidValidity, uidNext } = await imap.select(folder)
  const checkpoint = await findCheckpoint(ctx.db, mailbox, folder, uidValidity)
  const from = checkpoint?.next_uid ?? Math.max(1, uidNext - lookBackMails)
  let mails: ParsedMessage[] = []
  const flush = async (next_uid: number) => {
    const copies = mails
    mails = []
    await transaction(ctx, async (tx) => {
      await learn(tx, mailbox, copies)
      const readTo = { folder, uid_validity: uidValidity, next_uid }
      await saveCheckpoint(tx.db, mailbox, readTo, tx.now())
    })
  }
  if (uidNext > from) {
    for await (const { uid, source } of imap.fetch(from, { sourceBytesMax })) {
      mails.push(await parseMessage(headOf(source)))
      if (mails.length >= batchMailsMax) await flush(uid + 1)
    }
  }
  if (checkpoint?.next_uid === undefined || uidNext > from) await flush(uidNext)
}

async function learn(tx: Context, { workspace_id, id }: ReadMailbox, copies: ParsedMessage[]) {
  const ids = copies.flatMap(({ messageId }) => messageId ?? [])
  const known = await findByMessageIds(tx.db, workspace_id, ids)
  const arrived = [...known.values()].map((message) => message.id)
  await markArrived(tx, workspace_id, arrived)
  const strange = copies.flatMap(({ messageId, to, subject, date }) => {
    const recipient = parseEmail(to[0] ?? '')?.folded
    return messageId !== null && !known.has(messageId) && recipient && date
      ? [{ alias: messageId, recipient, subject, date }]
      : []
  })
  if (strange.length === 0) return
  const found = (await queries.findSentTo(tx.db, workspace_id, id, strange)).map((sent) => ({
    ...sent,
    ...{ workspace_id, mailbox_id: id, alias: strange[sent.position - 1]?.alias ?? '' },
  }))
  await addMessageIds(tx.db, found)
  // Follow-ups refer to what the lead has.
  await setProviderIds(tx.db, workspace_id, found)
}
