import { operator } from '../features/audit/index.ts'
import { createLabel } from '../features/labels/index.ts'
import { addMailbox, updateMailbox } from '../features/mailboxes/index.ts'
import { inWorkspace } from '../kernel/context.ts'
import { hourMs } from '../kernel/durations.ts'
import type { ApiClient } from './api-client.ts'
import { newCampaign } from './campaign.ts'
import { Colleague } from './colleague.ts'
import type { MadeUpPerson } from './people/made-up.ts'
import type { Receiver } from './receiver.ts'
import type { World } from './world.ts'

const senders = [
  'Anna Ahlers',
  'Ben Brandt',
  'Carla Cohen',
  'David Duarte',
  'Eva Engel',
  'Finn Falk',
]

const addressOf = (name: string) => `${name.split(' ')[0]?.toLowerCase()}@outreach.example`

export interface Office {
  campaignId: string
  colleague: Colleague
  /** Every type of event that there is. */
  eventTypes: string[]
  /** Of the types that are named by an id. */
  labelNames: Map<string, string>
}

/** Sets everything up as a user would, and tells each step that is done. */
export async function openOffice(
  world: World,
  receiver: Receiver,
  people: MadeUpPerson[],
  tell: (what: string) => void,
): Promise<Office> {
  const { workspaceId, api } = world
  const ctx = inWorkspace(world.ctx, workspaceId)
  const label = { name: 'Asks for the price', sentiment: 'positive', effect: 'stop' } as const
  const { id: labelId, value } = await createLabel(ctx, workspaceId, label, operator)

  const hook = { name: 'Sandbox', event_type: 'all_events', target_hook_url: receiver.url }
  const webhook = await api.post('/api/v2/webhooks', hook)
  receiver.trust(webhook.signing_secret)
  const { items } = await api.get('/api/v2/webhooks/event-types')
  const types = items.map(({ id }: { id: string }) => id)
  const eventTypes: string[] = types.filter((id: string) => id !== 'all_events')
  tell(`a webhook for all ${eventTypes.length} types of events, to ${receiver.url}`)

  const mailboxIds = new Map<string, string>()
  for (const name of senders) {
    const { id, address } = await addMailbox(ctx, workspaceId, settingsOf(world, name), operator)
    mailboxIds.set(address, id)
  }
  tell(`${senders.length} mailboxes, 40 mails a day each, as ${addressOf(senders[0] ?? '')}`)

  const campaign = await api.post('/api/v2/campaigns', newCampaign([...mailboxIds.keys()]))
  tell('a campaign of three mails in working hours, opens and clicks tracked')
  const found = await findContacts(api)
  const leads = [...people.slice(0, people.length - found.length), ...found]
  await api.post('/api/v2/lead/add', { campaign_id: campaign.id, leads })
  tell(`${leads.length} leads, ${found.length} of them found in the directory`)

  const mendMailbox = async (address: string) => {
    const password = passwordOf(world, address)
    const changes = { smtp: { password }, imap: { password } }
    await updateMailbox(ctx, workspaceId, mailboxIds.get(address) ?? '', changes, operator)
  }
  world.clock.in(52 * hourMs, async () => world.changePassword(addressOf(senders[1] ?? '')))
  const desk = { api, clock: world.clock, campaignId: campaign.id, labelValue: value, mendMailbox }
  const colleague = new Colleague(desk)
  colleague.beginWeek()
  await api.patch(`/api/v2/campaigns/${campaign.id}`, { status: 'active' })
  const labelNames = new Map([[`lead.label.${labelId}`, `label ${value}`]])
  return { campaignId: campaign.id, colleague, eventTypes, labelNames }
}

function settingsOf(world: World, name: string) {
  const address = addressOf(name)
  const password = world.openAccount(address)
  const login = { host: '127.0.0.1', security: 'none', username: address, password }
  return {
    address,
    display_name: name,
    signature: `<p>${name}<br>Outreach Example</p>`,
    smtp: { ...login, port: world.smtpPort },
    imap: { ...login, port: world.imapPort },
    daily_limit: 40,
    // The mail server files what is sent by itself.
    save_sent: 'off',
  }
}

const passwordOf = ({ store }: World, address: string) => store.find(address)?.password ?? ''

const contactsWanted = 3

/** Searching is free; an address costs a credit. */
async function findContacts(api: ApiClient): Promise<object[]> {
  const { items } = await api.post('/api/v1/leadbank/find', {
    ...{ seniorities: ['c_suite'], has_email: true, limit: contactsWanted },
  })
  const contacts: object[] = []
  for (const { contact_id, first_name, last_name, company } of items) {
    const { email } = await api.post('/api/v1/leadbank/acquire_email', {
      ...{ contact_id, list_name: 'Decision makers' },
    })
    if (email) contacts.push({ email, first_name, last_name, company_name: company.name })
  }
  return contacts
}
