import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'
import { operator } from '../audit/index.ts'
import { type Mailbox, removeMailbox } from '../mailboxes/index.ts'
import { addSuppression } from '../suppression/index.ts'
import { type Preview, previewStep } from './index.ts'

let sending: Sending
let mailbox: Mailbox

beforeAll(async () => {
  sending = await testSending()
  mailbox = await sending.createMailbox('anna@example.com', { signature: '<p>Anna</p>' })
})
afterAll(() => sending[Symbol.asyncDispose]())

const variant = (subject: string, body: string, more = {}) => ({ subject, body, ...more })

const steps = [
  {
    variants: [
      variant('{Hello|Hi} {{first_name}}', '{a|b|c|d} <a href="https://x.example">{{city}}</a>'),
      variant('{Dear|Good day} {{first_name}}', '{e|f|g|h} {{city | default: "there"}}'),
    ],
  },
  { delay: 0, variants: [variant('', '<p>{Again|Once more}, {{first_name}}</p>{{signature}}')] },
  { delay: 0, variants: [variant('Last {{first_name}}', 'Bye {{unsubscribe_url}}')] },
  { delay: 9, variants: [variant('', 'Really bye')] },
]
const tracked = { open_tracking: true, link_tracking: true, sequences: [{ steps }] }

const preview = (campaignId: string, email: string, step?: number): Promise<Preview> =>
  previewStep(sending.ctx, sending.workspaceId, campaignId, { email, step })

const withoutDate = (source: Buffer | undefined) =>
  source
    ?.toString()
    .replace(/^Date: .*$/m, 'Date:')
    .trim()

test('a preview is what is sent, byte for byte but for the date, whenever it is asked for', async () => {
  const campaign = await sending.createCampaign([mailbox], tracked)
  await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body: { status: 'paused' } })
  // A lead's variant follows from its id: of so many, both variants have some.
  const emails = Array.from({ length: 40 }, (_, i) => `lead${i}@x.example`)
  const rows = emails.map((email, i) => ({
    email,
    first_name: `Änn ${i}`,
    custom_variables: { city: 'Bonn & Köln' },
  }))
  await sending.addLeads(campaign.id, rows)
  const previews = new Map<string, Preview>()
  for (const email of emails) {
    for (const step of [1, 2, 3]) {
      previews.set(`${email} ${step}`, await preview(campaign.id, email, step))
    }
  }
  const variants = [...previews.values()].map((each) => `${each.step} ${each.variant}`)
  expect(new Set(variants)).toEqual(new Set(['1 1', '1 2', '2 1', '3 1']))

  await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body: { status: 'active' } })
  await sending.startRunner()
  const mails = await sending.waitForMails(3 * emails.length)
  await sending.waitForLedger(
    (entries) => entries.filter(({ state }) => state === 'sent').length === 3 * emails.length,
  )
  for (const email of emails) {
    const received = mails.filter(({ to }) => to === email)
    for (const step of [1, 2, 3]) {
      const expected = withoutDate(previews.get(`${email} ${step}`)?.mail?.bytes)
      expect(withoutDate(received[step - 1]?.source)).toBe(expected)
      // What was sent is shown again as it was.
      expect(withoutDate((await preview(campaign.id, email, step)).mail?.bytes)).toBe(expected)
    }
    expect((await preview(campaign.id, email)).step).toBe(4)
    const last = await preview(campaign.id, email, 4)
    const third = previews.get(`${email} 3`)
    expect(last.mail?.subject).toBe(`Re: ${third?.mail?.subject}`)
    expect(last.mail?.bytes.toString()).toContain(`\r\nReferences: ${third?.message_id}\r\n`)
  }
})

test('what is only looked at has no links that count for the lead', async () => {
  const { ctx, workspaceId } = sending
  const campaign = await sending.createCampaign([mailbox], tracked)
  await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body: { status: 'paused' } })
  const lead = { email: 'looked@x.example', first_name: 'Lo', custom_variables: { city: 'Ulm' } }
  await sending.addLeads(campaign.id, [lead])
  for (const step of [1, 2, 3]) {
    const request = { email: lead.email, step, variant: 1, isLookedAt: true }
    const { mail } = await previewStep(ctx, workspaceId, campaign.id, request)
    const source = `${mail?.html} ${mail?.text} ${mail?.bytes.toString().replaceAll('=\r\n', '')}`
    expect(source).not.toMatch(/\/[oc]\//)
    expect(source.replaceAll('/u/test', '')).not.toContain('/u/')
    if (step === 1) expect(mail?.html).toContain('https://x.example')
  }
})

test('a lead that no mail can be made for has a reason instead of a mail', async () => {
  const campaign = await sending.createCampaign([mailbox], tracked)
  await sending.addLeads(campaign.id, [{ email: 'nobody@x.example' }])
  for (const step of [1, 2]) {
    expect(await preview(campaign.id, 'nobody@x.example', step)).toMatchObject({
      step: 1,
      mail: null,
      refusal: { code: 'missing_variable', message: expect.stringMatching(/no (first_name|city)/) },
    })
  }
})

test('of a lead that is held back a mail that cannot be made says once why, and what else keeps it back', async () => {
  const steps = [{ variants: [variant('Hello {{first_name}}', 'Hi')] }]
  const campaign = await sending.createCampaign([mailbox], { sequences: [{ steps }] })
  await sending.call('PATCH', `/api/v2/campaigns/${campaign.id}`, { body: { status: 'paused' } })
  const email = 'lacking@x.example'
  await sending.addLeads(campaign.id, [{ email }])
  const why = 'The lead has no first_name, and the template gives no default.'
  const held = { sending_state: 'paused', skip_reason: `template_failed: ${why}` }
  const { peek } = sending.ctx.database
  await peek.updateTable('leads').set(held).where('email', '=', email).execute()
  expect(await preview(campaign.id, email, 1)).toMatchObject({ mail: null, warnings: [] })
  await addSuppression(sending.ctx, sending.workspaceId, email, operator)
  const suppressed = expect.stringContaining('its address is suppressed')
  expect(await preview(campaign.id, email, 1)).toMatchObject({ mail: null, warnings: [suppressed] })
})

test.each<[string, object, string | undefined, number | undefined, string]>([
  ['a step that there is not', {}, undefined, 5, 'invalid_field'],
  ['a lead that there is not', {}, 'other@x.example', 1, 'not_found'],
  ['no step', { sequences: [] }, undefined, undefined, 'not_ready'],
  ['no mailbox', { email_list: [] }, undefined, 1, 'not_ready'],
])('of %s there is none', async (_what, more, email, step, code) => {
  const { body } = await sending.call('POST', '/api/v2/campaigns', {
    body: { name: 'draft', email_list: [mailbox.address], ...tracked, ...more },
  })
  await sending.addLeads(body.id, ['ann@x.example'])
  await expect(preview(body.id, email ?? 'ann@x.example', step)).rejects.toMatchObject({ code })
})

test('of changes that are not saved a text that is no template keeps no other from being looked at', async () => {
  const campaign = await sending.createCampaign([mailbox])
  await sending.addLeads(campaign.id, ['draft@x.example'])
  const variants = [variant('Sound', 'Hi'), variant('{{first_name|there}}', 'Hi')]
  const draft = { sequences: [{ steps: [{ variants }] }] }
  const look = (number: number) =>
    previewStep(sending.ctx, sending.workspaceId, campaign.id, {
      ...{ email: 'draft@x.example', step: 1, variant: number, draft },
    })
  expect((await look(1)).mail?.subject).toBe('Sound')
  await expect(look(2)).rejects.toMatchObject({
    code: 'invalid_field',
    details: [{ path: '/sequences/0/steps/0/variants/1/subject' }],
  })
})

test('nothing is previewed from another workspace', async () => {
  const campaign = await sending.createCampaign([mailbox], tracked)
  const { workspaceId } = await sending.createStranger()
  const request = { email: 'ann@x.example' }
  const foreign = previewStep(sending.ctx, workspaceId, campaign.id, request)
  await expect(foreign).rejects.toMatchObject({ code: 'not_found' })
})

describe('a preview says that nothing is sent', () => {
  const warningsOf = async (email: string, prepare: (campaignId: string) => Promise<unknown>) => {
    const { id } = await sending.createCampaign([mailbox])
    await sending.call('PATCH', `/api/v2/campaigns/${id}`, { body: { status: 'paused' } })
    await sending.addLeads(id, [email])
    expect((await preview(id, email)).warnings).toEqual([])
    await prepare(id)
    const { mail, warnings } = await preview(id, email)
    expect(mail).not.toBeNull()
    return warnings
  }
  const set = (email: string, change: object) =>
    sending.ctx.database.peek.updateTable('leads').set(change).where('email', '=', email).execute()

  test('to an address that is suppressed', async () => {
    const email = 'suppressed@x.example'
    const { ctx, workspaceId } = sending
    const warnings = await warningsOf(email, () =>
      addSuppression(ctx, workspaceId, email, operator),
    )
    expect(warnings).toEqual([expect.stringContaining('its address is suppressed')])
  })

  test.each([
    [{ sending_state: 'stopped', stop_reason: 'replied' }, 'it is stopped (replied)'],
    [{ sending_state: 'finished' }, 'it is finished'],
    [{ sending_state: 'paused' }, 'it is paused.'],
    [
      { sending_state: 'paused', skip_reason: 'message_refused: 550 No' },
      'its mail was refused: 550 No. Resume it',
    ],
    [
      { sending_state: 'paused', skip_reason: 'template_failed: The lead has no city.' },
      'its mail cannot be made: The lead has no city. It goes on by itself once',
    ],
  ])('to a lead that is %o', async (change, words) => {
    const email = `${change.sending_state}@x.example`
    const warnings = await warningsOf(email, () => set(email, change))
    expect(warnings).toEqual([expect.stringContaining(words)])
  })

  test('to a lead whose conversation is in a mailbox that was removed', async () => {
    const { ctx, workspaceId } = sending
    const email = 'handed-over@x.example'
    const gone = await sending.createMailbox('gone@example.com')
    const warnings = await warningsOf(email, async () => {
      await set(email, { sending_state: 'active', mailbox_id: gone.id })
      await removeMailbox(ctx, workspaceId, gone.id, operator)
    })
    expect(warnings).toEqual([expect.stringContaining('was removed')])
  })
})

test('a preview warns of a mail that nobody can unsubscribe from', async () => {
  const settings = { insert_unsubscribe_header: false }
  const warnings = async (body: string) => {
    const sequences = [{ steps: [{ variants: [variant('Hi', body)] }] }]
    const { id } = await sending.createCampaign([mailbox], { ...settings, sequences })
    await sending.addLeads(id, ['way-out@x.example'])
    return (await preview(id, 'way-out@x.example')).warnings.filter((each) => /unsubs/.test(each))
  }
  expect(await warnings('Hi')).toEqual([expect.stringContaining('cannot unsubscribe')])
  expect(await warnings('Hi {{unsubscribe_url}}')).toEqual([])
})
