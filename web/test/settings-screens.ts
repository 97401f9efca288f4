import { startDeliveryRunner } from '../../server/src/features/deliveries/index.ts'
import { loadSample } from '../../server/src/features/directory/index.ts'
import { emit } from '../../server/src/features/events/index.ts'
import { transaction } from '../../server/src/kernel/db/transaction.ts'
import { answerWith, startReceiver } from '../../server/test/receiver.ts'
import type { Application } from './application.ts'

const settings = '/w/default/settings'

/** Makes webhooks with deliveries and failures, mailboxes, labels, suppressions and contacts. @returns the screens that show them */
export async function prepareSettings(
  application: Application,
): Promise<[name: string, path: string][]> {
  const { api, asOwner, visitor } = application
  const { ctx } = api
  ctx.lookupMail = async () => ['mx.hoster.example']
  ctx.lookupText = async () => []
  await loadSample(ctx)
  const { good, bad } = await deliver(application)
  for (const [name, sentiment, effect] of [
    ['Asks for the price', 'positive', 'stop'],
    ['Call back in spring', 'neutral', 'pause'],
    ['Uses a competitor', 'negative', 'stop'],
  ])
    await asOwner('POST', '/app/labels', { name, sentiment, effect })
  for (const value of ['competitor.example', 'ceo@partner.example'])
    await asOwner('POST', '/app/suppressions', { value })
  const db = ctx.database.peek
  const mailboxes = await db.selectFrom('mailboxes').select(['id', 'address']).execute()
  const headers = { 'x-workspace-id': api.workspaceId }
  const attempts = await visitor?.call('GET', `/app/api/v2/webhook-events?webhook_id=${bad}`, {
    headers,
  })
  const broken = mailboxes.find(({ address }) => address.startsWith('anna'))?.id
  return [
    ['webhook', `${settings}/webhooks/${good}`],
    ['webhook-failing', `${settings}/webhooks/${bad}`],
    ['webhook-attempt', `${settings}/webhooks/${bad}?attempt=${attempts?.body.items[0]?.id}`],
    ['webhook-edit', `${settings}/webhooks/${good}?panel=edit`],
    ['webhook-replay', `${settings}/webhooks/${good}?panel=replay`],
    ['webhook-none', `${settings}/webhooks/${good}?result=failed`],
    ['webhook-gone', `${settings}/webhooks/${api.workspaceId}`],
    ['mailboxes', `${settings}/mailboxes`],
    ['mailbox', `${settings}/mailboxes/${mailboxes[0]?.id}`],
    ['mailbox-broken', `${settings}/mailboxes/${broken}`],
    ['mailboxes-connect', `${settings}/mailboxes/connect`],
    ['mailboxes-connect-login', `${settings}/mailboxes/connect?address=eva@example.com`],
    ['labels', `${settings}/labels`],
    ['labels-new', `${settings}/labels?panel=new`],
    ['suppression', `${settings}/suppression`],
    ['suppression-add', `${settings}/suppression?panel=add`],
    ['suppression-import', `${settings}/suppression?panel=import`],
    ['contacts', '/w/default/contacts'],
    ['contacts-lists', '/w/default/contacts?view=lists'],
    ['contacts-ledger', '/w/default/contacts?view=credits'],
  ]
}

/** @returns the ids of a webhook whose receiver takes everything, and of one that is down */
async function deliver({ api, asOwner }: Application): Promise<{ good: string; bad: string }> {
  const { ctx, workspaceId } = api
  await using well = await startReceiver(answerWith(200, '{"ok":true}'))
  await using down = await startReceiver(answerWith(503, 'The database is being moved.'))
  const create = async (name: string, target_hook_url: string) => {
    const body = { name, target_hook_url, event_type: 'all_events' }
    return (await asOwner('POST', '/app/api/v2/webhooks', body)).body.id as string
  }
  const good = await create('CRM: what happens to leads', well.url)
  const bad = await create('Data warehouse', down.url)
  const types = ['lead.replied', 'lead.interested', 'lead.unsubscribed', 'lead.completed'] as const
  const events = Array.from({ length: 40 }, (_, at) => ({
    ...{ type: types[at % 4] ?? 'lead.replied', campaign: null, data: {} },
    leadEmail: `person${at}@northwind.example`,
  }))
  const runner = await startDeliveryRunner(ctx)
  await transaction(ctx, (tx) => emit(tx, workspaceId, events))
  await Promise.all([well.waitFor(40), down.waitFor(5)])
  await runner.stop(5000)
  return { good, bad }
}
