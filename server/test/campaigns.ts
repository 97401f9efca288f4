import { operator } from '../src/features/audit/index.ts'
import { addMailbox, type Mailbox } from '../src/features/mailboxes/index.ts'
import type { Context } from '../src/kernel/context.ts'
import type { Answer, TestApi } from './app.ts'

/** A connected mailbox; its servers do not exist. */
export function createMailbox(
  ctx: Context,
  workspaceId: string,
  address = `sender-${ctx.newId()}@example.com`,
): Promise<Mailbox> {
  const server = { host: 'mail.example.com', username: address, password: 'secret' }
  return addMailbox(ctx, workspaceId, { address, smtp: server, imap: server }, operator)
}

export const oneStep = [
  { steps: [{ variants: [{ subject: 'Hello {{first_name}}', body: '<p>Hello</p>' }] }] },
]

/** Everything that activation asks for. */
export async function createReadyCampaign(
  api: TestApi,
  more: object = {},
): Promise<Answer['body']> {
  const mailbox = await createMailbox(api.ctx, api.workspaceId)
  const { body } = await api.call('POST', '/api/v2/campaigns', {
    body: { name: 'ready', sequences: oneStep, email_list: [mailbox.address], ...more },
  })
  return body
}
