import { operator } from '../../src/features/audit/index.ts'
import { startErasure } from '../../src/features/erasure/erase.ts'
import { createImport, putPart } from '../../src/features/imports/index.ts'
import { createLabel } from '../../src/features/labels/index.ts'
import { changeMany, findLead } from '../../src/features/leads/index.ts'
import { addMailbox, listMailboxes } from '../../src/features/mailboxes/index.ts'
import { addMember, createInvitation } from '../../src/features/members/index.ts'
import { addSuppression } from '../../src/features/suppression/index.ts'
import { createUser } from '../../src/features/users/index.ts'
import { createTryOut } from '../../src/features/webhooks/try-out/try-outs.ts'
import type { Role } from '../../src/kernel/http/access.ts'
import type { TestApi } from '../app.ts'
import { createConversation } from '../conversations.ts'
import { octets } from './requests.ts'
import { createWorld, type World } from './world.ts'

/** The same records by the paths of the application, and those that only it has. */
export async function createApplicationWorld(
  api: TestApi,
  owner: { workspaceId: string; key: string },
  targetUrl: string,
): Promise<World> {
  const world = await createWorld(api, owner, targetUrl)
  const { workspaceId } = world
  const createMember = async (role: Role) => {
    const email = `${api.ctx.newId()}@member.example`
    const id = await createUser(api.ctx, { name: 'Member', email, passwordHash: 'none' })
    await addMember(api.ctx, { workspaceId, userId: id, role }, operator)
    return id
  }
  const userId = await createMember('viewer')
  // Beside another owner each may leave.
  await createMember('owner')
  const invited = { email: 'invited@member.example', role: 'viewer' } as const
  const invitation = await createInvitation(api.ctx, workspaceId, invited, operator)
  const { items: mailboxes } = await listMailboxes(api.ctx, workspaceId, {
    ...{ limit: 1, startingAfter: undefined },
  })
  const mailboxId = mailboxes[0]?.id ?? ''
  const me = 'me@member.example'
  const nowhere = { host: '127.0.0.1', port: 1, security: 'none', username: me, password: 'secret' }
  await addMailbox(api.ctx, workspaceId, { address: me, smtp: nowhere, imap: nowhere }, operator)
  const label = await createLabel(api.ctx, workspaceId, { name: 'Warm' }, operator)
  const campaignId = world.references.campaign_id ?? ''
  const lead = await findLead(api.ctx.db, workspaceId, campaignId, world.values.email ?? '')
  const actor = { type: 'user', id: userId } as const
  const pause = { action: 'pause' as const, ids: [lead?.id ?? ''] }
  const job = await changeMany(api.ctx, workspaceId, pause, { actor })
  const file = { file_name: 'leads.csv', file_bytes: octets.length, campaign_id: campaignId }
  const begun = await createImport(api.ctx, workspaceId, file, { actor })
  const part = { number: 1, content: octets }
  const sent = await putPart(api.ctx, workspaceId, begun.id, part, { actor })
  // Apart from the other, which has no history yet: it can be deleted.
  const sequences = [{ steps: [{ variants: [{ subject: 'Hello', body: 'Hello' }] }] }]
  const { body: written } = await api.call('POST', '/api/v2/campaigns', {
    key: owner.key,
    body: { name: 'written', sequences, email_list: ['anna@example.com'] },
  })
  await api.call('POST', '/api/v2/lead/add', {
    ...{ key: owner.key, body: { campaign_id: written.id, leads: [{ email: 'bo@example.com' }] } },
  })
  const conversation = await createConversation(api, workspaceId, written.id)
  const blocked = 'blocked@example.com'
  await addSuppression(api.ctx, workspaceId, blocked, operator)
  const keyId = world.ids['/oauth/service-accounts'] ?? ''
  const leadId = await onlyLead(api, workspaceId)
  const uncertainId = await insertUncertain(api, workspaceId, mailboxId, written.id)
  const gone = 'gone@example.com'
  await api.call('POST', '/api/v2/lead/add', {
    ...{ key: owner.key, body: { campaign_id: campaignId, leads: [{ email: gone }] } },
  })
  const going = await findLead(api.ctx.db, workspaceId, campaignId, gone)
  const erasure = await startErasure(api.ctx, workspaceId, going?.id ?? '', { actor })
  const shared = Object.entries(world.ids).map(([path, id]) => [`/app${path}`, id])
  return {
    ...world,
    ids: {
      ...Object.fromEntries(shared),
      ...{ '/app/members': userId, '/app/invitations': invitation.id, '/app/keys': keyId },
      ...{ '/app/mailboxes': mailboxId },
      ...{ '/app/threads': conversation.id, '/app/messages': conversation.messageId },
      ...{ '/app/labels': label.id },
      ...{ '/app/workspaces': workspaceId, '/app/profile/sessions': api.ctx.newId() },
      ...{ '/app/webhooks': world.references.webhook_id ?? '' },
      '/app/webhooks/try': createTryOut(api.ctx, workspaceId).token,
      '/app/webhook-events': world.ids['/api/v2/webhook-events'] ?? '',
      ...{ '/app/leads': lead?.id ?? '', '/app/leads/jobs': job.id },
      ...{ '/app/imports': begun.id, '/parts': '1', '/attachments': '0' },
      ...{
        '/app/campaigns': world.ids['/api/v2/campaigns'] ?? '',
        '/app/sends': uncertainId,
        '/app/erasures': erasure.id,
      },
    },
    references: {
      ...world.references,
      ...{ actor_id: userId, subject_id: keyId, mailbox_id: mailboxId },
      lead_id: leadId,
      ...{ label_id: label.id, to_campaign_id: campaignId },
    },
    values: {
      ...world.values,
      seen_timestamp_updated: sent.timestamp_updated.toISOString(),
      ...{ address: blocked, value: blocked, to: me, name: 'Any other', search: 'hello' },
    },
  }
}

async function onlyLead(api: TestApi, workspaceId: string) {
  const leads = api.ctx.database.peek.selectFrom('leads').select('id')
  return (await leads.where('workspace_id', '=', workspaceId).executeTakeFirstOrThrow()).id
}

/** A mail of which nobody knows whether it arrived. */
async function insertUncertain(
  api: TestApi,
  workspaceId: string,
  mailbox_id: string,
  campaign_id: string,
): Promise<string> {
  const { ctx } = api
  const lead = ctx.database.peek.selectFrom('leads').select('id')
  const { id: lead_id } = await lead
    .where('workspace_id', '=', workspaceId)
    .where('campaign_id', '=', campaign_id)
    .executeTakeFirstOrThrow()
  const id = ctx.newId()
  const day = ctx.now().toISOString().slice(0, 10)
  await ctx.database.peek
    .insertInto('sends')
    .values({
      ...{ workspace_id: workspaceId, lead_id, step_id: ctx.newId(), id, campaign_id },
      ...{ mailbox_id, kind: 'step' },
      ...{ step: 1, variant: 1, variant_id: ctx.newId(), message_id: `<${id}@example.com>` },
      ...{ starts_thread: true, state: 'uncertain', claim_token: '1', is_new: true },
      ...{ campaign_day: day, mailbox_day: day, timestamp_claimed: ctx.now() },
    })
    .execute()
  return id
}
