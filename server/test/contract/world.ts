import { operator } from '../../src/features/audit/index.ts'
import { addMailbox } from '../../src/features/mailboxes/index.ts'
import type { TestApi } from '../app.ts'
import { insertCompany, insertPerson } from '../directory-rows.ts'

/** A workspace with one record of each kind, made through the public API where that is possible. */
export interface World {
  workspaceId: string
  key: string
  /** The id of a record, by the path of its list. */
  ids: Record<string, string>
  /** The id of a record, by what a parameter or a field that names it is called. */
  references: Record<string, string>
  /** What else stands in a valid request under this name. */
  values: Record<string, string>
}

export async function createWorld(
  api: TestApi,
  owner: { workspaceId: string; key: string },
  targetUrl: string,
): Promise<World> {
  const { key, workspaceId } = owner
  const ask = async (method: string, url: string, body?: object) => {
    const answer = await api.call(method, url, { body, key })
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const server = { host: 'mail.example.com', username: 'anna', password: 'secret' }
  const address = 'anna@example.com'
  await addMailbox(api.ctx, workspaceId, { address, smtp: server, imap: server }, operator)
  const steps = [{ variants: [{ subject: 'Hello', body: 'Hello' }] }]
  const campaign = await ask('POST', '/api/v2/campaigns', {
    name: 'ready',
    sequences: [{ steps }],
    email_list: [address],
  })
  const email = 'ann@example.com'
  await ask('POST', '/api/v2/lead/add', { campaign_id: campaign.id, leads: [{ email }] })
  const child = await ask('POST', '/oauth/service-accounts', {
    name: 'child',
    scopes: ['leads:read'],
  })
  const webhook = await ask('POST', '/api/v2/webhooks', {
    name: 'all',
    target_hook_url: targetUrl,
    event_type: 'all_events',
  })
  await ask('POST', `/api/v2/webhooks/${webhook.id}/test`)
  const company_id = await insertCompany(api.ctx)
  const contact_id = await insertPerson(api.ctx, { company_id })
  const acquired = await ask('POST', '/api/v1/leadbank/acquire_email', {
    contact_id,
    list_name: 'acquired',
  })
  const attempts = await ask('GET', '/api/v2/webhook-events')
  return {
    workspaceId,
    key,
    ids: {
      '/oauth/service-accounts': child.id,
      '/api/v2/campaigns': campaign.id,
      '/api/v2/webhooks': webhook.id,
      '/api/v2/webhook-events': attempts.items[0].id,
      '/api/v1/leadbank/acquire-lists': acquired.list_id,
      '/leadbank/api/v1/company': company_id,
    },
    references: {
      ...{ campaign_id: campaign.id, campaign: campaign.id, webhook_id: webhook.id },
      ...{ contact_id, list_id: acquired.list_id },
      webhook_event_id: attempts.items[0].id,
    },
    values: { email, target_hook_url: targetUrl },
  }
}
