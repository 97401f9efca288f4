import type { Context } from '../../../kernel/context.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { parseEmail } from '../../../kernel/email.ts'
import type { FetchOptions, ImapConnection, MailFailure } from '../../../kernel/mail/index.ts'
import { findByMessageIds, takeMessageIds } from '../../messages/index.ts'
import { markArrived, setProviderIds } from '../../sending/index.ts'
import { headOf } from '../classify/bounded-source.ts'
import { idsIn, type ParsedMessage, parseMessage } from '../classify/message.ts'
import type { InboxMailbox } from '../inbox-mailbox.ts'
import { findCheckpoint, saveCheckpoint } from '../reading/folder-queries.ts'
import { type Refusals, warnOfWithheld } from '../reading/refusals.ts'
import { findUnderWay } from './match-queries.ts'
import { findSentTo } from './provider-id-queries.ts'

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
  mailbox: InboxMailbox,
  folder: string,
  refusals?: Refusals,
): Promise<void> {
  const { uidValidity, uidNext } = await imap.select(folder)
  const checkpoint = await findCheckpoint(ctx.db, mailbox, folder, uidValidity)
  const from = checkpoint?.next_uid ?? Math.max(1, uidNext - lookBackMails)
  let mails: ParsedMessage[] = []
  /** Mails that are still to be read. */
  const withheld: { uid: number; refusal: MailFailure }[] = []
  const flush = (readToUid: number) => {
    const copies = mails
    mails = []
    return transaction(ctx, async (tx) => {
      if (!(await learn(tx, mailbox, copies))) return false
      const next_uid = Math.min(readToUid, ...withheld.map(({ uid }) => uid))
      const position = { folder, uid_validity: uidValidity, next_uid, read_at: tx.now() }
      await saveCheckpoint(tx.db, mailbox, position)
      return true
    })
  }
  const keyOf = (uid: number) => `${folder} ${uidValidity} ${uid}`
  const options: FetchOptions = {
    sourceBytesMax,
    takesHeaders(uid) {
      refusals?.takesHeaders(keyOf(uid))
      return true
    },
    onWithheld(uid, refusal) {
      if (refusals?.passesOver(keyOf(uid))) warnOfWithheld(ctx, mailbox, uid)
      else withheld.push({ uid, refusal })
    },
  }
  if (uidNext > from) {
    for await (const { uid, source } of imap.fetch(from, options)) {
      refusals?.handedOut()
      mails.push(await parseMessage(headOf(source)))
      if (mails.length >= batchMailsMax && !(await flush(uid + 1))) return
    }
  }
  if (checkpoint?.next_uid === undefined || uidNext > from) await flush(uidNext)
  if (withheld[0]) throw withheld[0].refusal
}

/** @returns false: one may be of a mail that is not recorded as sent yet, so that it has to be read again */
async function learn(
  tx: Context,
  { workspace_id, id: mailbox_id }: InboxMailbox,
  copies: ParsedMessage[],
): Promise<boolean> {
  const ids = copies.flatMap((copy) => [copy.messageId, originalIdOf(copy)])
  const known = await findByMessageIds(
    tx.db,
    workspace_id,
    ids.filter((each) => each !== null),
  )
  const arrived = [...known.values()].map(({ id }) => id)
  await markArrived(tx, workspace_id, arrived)
  // What came in under the same id, as into another mailbox that got a copy, does not make it known.
  const strange = copies.flatMap((copy) =>
    copy.messageId !== null && !known.get(copy.messageId)?.campaign_id
      ? [{ ...copy, alias: copy.messageId, ours: known.get(originalIdOf(copy) ?? '') }]
      : [],
  )
  const named = strange.flatMap(({ alias, ours }) =>
    ours?.campaign_id ? [{ ...ours, workspace_id, mailbox_id, alias }] : [],
  )
  const unnamed = strange.flatMap(({ alias, ours, to, subject, date }) => {
    const recipient = parseEmail(to[0] ?? '')?.folded
    return !ours?.campaign_id && recipient && date ? [{ alias, recipient, subject, date }] : []
  })
  // First, because what is recorded as sent meanwhile is found below.
  const underWay = unnamed.length > 0 ? await findUnderWay(tx.db, workspace_id, mailbox_id) : []
  // What is only claimed has no copy yet.
  const isUnderWay = new Set(
    underWay.flatMap(({ state, email_folded }) => (state === 'transmitting' ? email_folded : [])),
  )
  // A copy that fits an earlier mail to somebody may be of the one that is under way to them.
  const certain = unnamed.filter(({ recipient }) => !isUnderWay.has(recipient))
  const found = certain.length > 0 ? await findSentTo(tx.db, workspace_id, mailbox_id, certain) : []
  const all = [
    ...named,
    ...found.map((sent) => ({
      ...{ ...sent, workspace_id, mailbox_id, alias: certain[sent.position - 1]?.alias ?? '' },
    })),
  ]
  if (all.length > 0) await takeMessageIds(tx.db, all)
  // Follow-ups refer to what the lead has.
  if (all.length > 0) await setProviderIds(tx.db, workspace_id, all)
  return certain.length === unnamed.length
}

/** Where the provider that has put a Message-ID of its own in the place of ours (Outlook.com) says so. */
const originalIdOf = ({ header }: ParsedMessage) =>
  idsIn(header('x-microsoft-original-message-id'))[0] ?? null
