import { tellPages } from '../src/features/live/index.ts'
import { indexThreads, insertMessages, upsertThreads } from '../src/features/messages/index.ts'
import { sha256 } from '../src/kernel/crypto.ts'
import { transaction } from '../src/kernel/db/transaction.ts'
import type { TestApi } from './app.ts'
import type { TestContext } from './context.ts'

interface CreatedConversation {
  /** Of its lead. */
  id: string
  messageId: string
  mailboxId: string
}

/** What was written in it last. */
export interface LastMail {
  /** Of the lead; the newest one of the campaign, if it is not given. */
  email?: string
  kind?: 'reply' | 'auto_reply' | 'bounce'
  from?: string
  subject?: string
  text?: string
  html?: string | null
  details?: Record<string, unknown>
  suggestion?: 'unsubscribed'
}

/**
 * A conversation with a lead of a campaign, as if its answer had just been read; the ledger has an
 * answer of ours that says "Gladly.".
 */
export async function createConversation(
  api: TestApi,
  workspaceId: string,
  campaignId: string,
  mail: LastMail = {},
): Promise<CreatedConversation> {
  const { ctx } = api
  const { peek } = ctx.database
  const { id, email } = await peek
    .selectFrom('leads')
    .select(['id', 'email'])
    .where('workspace_id', '=', workspaceId)
    .where('campaign_id', '=', campaignId)
    .$if(mail.email !== undefined, (query) => query.where('email', '=', mail.email ?? ''))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
  const mailbox = await peek
    .selectFrom('mailboxes')
    .select(['id', 'address'])
    .where('workspace_id', '=', workspaceId)
    .limit(1)
    .executeTakeFirstOrThrow()
  const about = { campaign_id: campaignId, mailbox_id: mailbox.id }
  const { kind = 'reply', from = email, subject = 'Re: Hello', text = 'Yes, please.' } = mail
  await insertSentAnswer(api, workspaceId, { ...about, lead_id: id, to: email })
  const messageId = ctx.newId()
  await insertMessages(ctx, [
    {
      ...{ ...about, workspace_id: workspaceId, id: messageId, direction: 'in', kind },
      ...{ lead_id: id, thread_id: id, step_id: null, step: null, variant: null },
      ...{ message_id: `<${messageId}@lead.example>`, in_reply_to: null, from_address: from },
      ...{ to_addresses: [mailbox.address], subject, text, html: mail.html ?? null },
      ...{ size_bytes: null, details: mail.details ?? {}, timestamp: ctx.now() },
    },
  ])
  const thread = { ...about, id, last_message_id: messageId, kind, from_address: from, subject }
  const row = {
    ...thread,
    is_from_another: kind !== 'bounce' && from !== email,
    snippet: text.slice(0, 200),
    suggestion: mail.suggestion ?? null,
    arrived_at: ctx.now(),
    words: '',
  }
  await upsertThreads(ctx.db, workspaceId, [row], ctx.now())
  await transaction(ctx, (tx) => indexThreads(tx, workspaceId, [id]))
  tellPages(ctx, workspaceId, ['inbox'])
  return { id, messageId, mailboxId: mailbox.id }
}

/** So many more mails of a conversation, as if they had come in before it was looked at. */
export async function addMails(
  ctx: TestContext,
  workspaceId: string,
  threadId: string,
  count: number,
  textOf = (at: number) => `Mail ${at + 1}`,
) {
  const { mailbox_id, campaign_id } = await ctx.database.peek
    .selectFrom('threads')
    .select(['mailbox_id', 'campaign_id'])
    .where('id', '=', threadId)
    .executeTakeFirstOrThrow()
  const mails = Array.from({ length: count }, (_, at) => ({
    ...{ mailbox_id, campaign_id, workspace_id: workspaceId, id: ctx.newId(), direction: 'in' },
    ...{ kind: 'reply', lead_id: threadId, thread_id: threadId, step_id: null, step: null },
    ...{ variant: null, message_id: `<${ctx.newId()}@lead.example>`, in_reply_to: null },
    ...{
      from_address: 'lead@lead.example',
      to_addresses: ['anna@example.com'],
      subject: 'Re: Hello',
    },
    ...{ text: textOf(at), html: null, size_bytes: null, details: {}, timestamp: ctx.now() },
  }))
  await insertMessages(ctx, mails as Parameters<typeof insertMessages>[1])
  await transaction(ctx, (tx) => indexThreads(tx, workspaceId, [threadId]))
}

/** In the ledger alone, under the key that an answer without one has. */
async function insertSentAnswer(
  { ctx }: TestApi,
  workspaceId: string,
  sent: { campaign_id: string; mailbox_id: string; lead_id: string; to: string },
) {
  const { to, ...about } = sent
  const key = sha256(`${sent.lead_id} Gladly.`).toString('hex')
  const reply = {
    ...{ idempotency_key: key, from_address: 'anna@example.com', to_address: to },
    ...{ in_reply_to: '', references: [], subject: 'Hello', text: 'Gladly.', html: null },
    ...{ shown_html: null, snippet: 'Gladly.', is_forced: false },
    timestamp_created: ctx.now().toISOString(),
  }
  await ctx.database.peek
    .insertInto('sends')
    .values({
      ...{ ...about, workspace_id: workspaceId, id: ctx.newId(), kind: 'manual', state: 'sent' },
      step_id: sha256(`reply ${key}`).subarray(0, 16).toString('hex'),
      ...{ message_id: `<${key}@example.com>`, starts_thread: false, is_new: false },
      ...{ claim_token: 0, reply: JSON.stringify(reply), timestamp_claimed: ctx.now() },
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
