import { operator } from '../../server/src/features/audit/index.ts'
import { addMailbox } from '../../server/src/features/mailboxes/index.ts'
import type { Application } from './application.ts'

const body = `<p>Hi {{first_name | default: "there"}},</p>
<p>{I saw|I read} what <strong>{{company_name}}</strong> does.
May I show you how others of your size keep their replies together?</p>
<p><a href="https://example.com">A short look</a></p>`

/** Makes campaigns in several states, with results. @returns the screens that show them */
export async function prepareCampaigns({
  api,
  asOwner,
}: Application): Promise<[name: string, path: string][]> {
  const server = { host: '127.0.0.1', username: 'anna', password: 'secret', security: 'none' }
  for (const name of ['maria', 'bela']) {
    const address = `${name}@example.com`
    await addMailbox(api.ctx, api.workspaceId, { address, smtp: server, imap: server }, operator)
  }
  const email_list = ['maria@example.com', 'bela@example.com']
  const variants = [
    { subject: 'Replies in one place, {{first_name}}', body },
    { subject: 'A question about {{company_name}}', body, v_disabled: true },
  ]
  const steps = [
    { variants },
    { delay: 3, variants: [{ subject: '', body: '<p>Did you see my mail?</p>' }] },
    { delay: 5, variants: [{ subject: '', body: '<p>My last one, I promise.</p>' }] },
  ]
  const make = async (name: string, more: object = {}) =>
    (
      await asOwner('POST', '/app/api/v2/campaigns', {
        ...{ name, sequences: [{ steps }], email_list, daily_limit: 60 },
        ...more,
      })
    ).body
  const founders = await make('Founders in Berlin')
  const leads = Array.from({ length: 240 }, (_, index) => ({
    ...{ email: `lead${index}@lead${index % 40}.example`, first_name: `Ada ${index}` },
    company_name: 'Example Works',
  }))
  await asOwner('POST', '/app/api/v2/lead/add', { campaign_id: founders.id, leads })
  const draft = await make('Agencies, autumn', { sequences: [], email_list: [] })
  const stuck = await make('Webinar guests')
  await asOwner('POST', '/app/api/v2/lead/add', {
    campaign_id: stuck.id,
    leads: leads.slice(0, 30),
  })
  await asOwner('PATCH', `/app/api/v2/campaigns/${stuck.id}`, { status: 'active' })
  const [first, second] = founders.sequences[0].steps
  const stepIdsOf = ({ id, variants: [variant] }: typeof first) => ({
    ...{ step_id: id, variant_id: variant.id },
  })
  const db = api.ctx.database.peek
  for (let age = 0; age < 25; age++) {
    const day = new Date(Date.now() - age * 86_400_000).toISOString().slice(0, 10)
    const key = { workspace_id: api.workspaceId, campaign_id: founders.id, day }
    const sent = (age * 7) % 23
    await db
      .insertInto('campaign_step_days')
      .values([
        {
          ...{ ...key, ...stepIdsOf(first), sent, opened: sent >> 1, replied: sent >> 3 },
          interested: 1,
        },
        { ...key, ...stepIdsOf(second), sent: sent >> 1, replied: 1, auto_replied: 1 },
      ])
      .execute()
    await db
      .insertInto('campaign_days')
      .values({ ...key, sent, new_leads: sent })
      .execute()
  }
  const found = await db
    .selectFrom('leads')
    .select('id')
    .where('campaign_id', '=', founders.id)
    .limit(8)
    .execute()
  const { id: mailbox_id } = await db.selectFrom('mailboxes').select('id').executeTakeFirstOrThrow()
  for (const [index, { id: lead_id }] of found.entries()) {
    const state = ['sent', 'sent', 'uncertain', 'failed'][index % 4] as string
    const day = new Date().toISOString().slice(0, 10)
    await db
      .insertInto('sends')
      .values({
        ...{ workspace_id: api.workspaceId, lead_id, step_id: api.ctx.newId(), state, mailbox_id },
        ...{ id: api.ctx.newId(), campaign_id: founders.id, kind: 'step', step: 1, variant: 1 },
        ...{ variant_id: api.ctx.newId(), message_id: `<${index}@example.com>`, claim_token: '1' },
        ...{ starts_thread: true, is_new: true, campaign_day: day, mailbox_day: day },
        ...{ timestamp_claimed: new Date(), subject: 'Replies in one place' },
        error_message: state === 'sent' ? null : 'The connection broke at the end of the mail.',
      })
      .execute()
  }
  const list = '/w/default/campaigns'
  const page = `${list}/${founders.id}`
  return [
    ['campaigns', list],
    ['campaigns-no-match', `${list}?search=nothing`],
    ['campaigns-new', `${list}?panel=new`],
    ['campaign-steps', page],
    ['campaign-steps-empty', `${list}/${draft.id}`],
    ['campaign-schedule', `${page}?tab=schedule`],
    ['campaign-options', `${page}?tab=options`],
    ['campaign-leads', `${page}?tab=leads`],
    ['campaign-preview', `${page}?tab=preview&lead=${found[0]?.id}`],
    ['campaign-test', `${page}?tab=preview&lead=${found[0]?.id}&panel=test`],
    ['campaign-launch', `${page}?panel=launch`],
    ['campaign-launch-problems', `${list}/${draft.id}?panel=launch`],
    ['campaign-analytics', `${page}?tab=analytics`],
    ['campaign-mails', `${page}?tab=mails`],
    ['campaign-gone', `${list}/${api.workspaceId}`],
  ]
}
