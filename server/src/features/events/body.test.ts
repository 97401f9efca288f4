import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bodyBytesMax, buildBody, type NewEvent } from './body.ts'

const id = '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d'
const workspaceId = '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d'
const at = new Date('2026-11-20T09:37:00.123Z')
const build = (data: Record<string, unknown>, more: Partial<NewEvent> = {}) => {
  const event = { type: 'lead.replied' as const, campaign: null, leadEmail: 'ada@example.com' }
  const body = buildBody({ ...event, data, ...more }, id, workspaceId, at)
  return { body, payload: JSON.parse(body) }
}

test('holds the names of Standard Webhooks and those of this API, equal by definition', () => {
  const campaign = { id: workspaceId, name: 'First' }
  expect(build({ lead: { id } }, { campaign }).payload).toEqual({
    id,
    type: 'lead.replied',
    event_id: id,
    event_type: 'lead.replied',
    timestamp: '2026-11-20T09:37:00.123Z',
    workspace_id: workspaceId,
    campaign_id: workspaceId,
    campaign_name: 'First',
    lead_email: 'ada@example.com',
    custom_interest_value: null,
    data: { lead: { id } },
  })
})

test('what fits is not touched: 64 KiB to the byte', () => {
  const shell = Buffer.byteLength(build({ text: '' }).body)
  const { body, payload } = build({ text: 'x'.repeat(bodyBytesMax - shell) })
  expect(Buffer.byteLength(body)).toBe(bodyBytesMax)
  expect(payload.truncated).toBeUndefined()
})

test('the longest texts are cut and listed; ids and addresses never', () => {
  const email = `${'a'.repeat(200)}@example.com`
  const { body, payload } = build({
    lead: { id, email, personalization: 'kept as it is, for it is short' },
    reply: { text: 'é'.repeat(50_000), html: '<p>'.repeat(30_000), snippet: 'short' },
  })
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bodyBytesMax)
  expect(payload.truncated.sort()).toEqual(['/data/reply/html', '/data/reply/text'])
  expect(payload.data.lead).toMatchObject({ id, email })
  expect(payload.data.lead.personalization).toBe('kept as it is, for it is short')
  expect(payload.data.reply.text.length).toBeGreaterThan(10_000)
})

test('addresses in lists and times are whole beside texts that are hardly there any more', () => {
  const address = 'somebody.with.a.long.name@mailboxes.example.com'
  const own = {
    timestamp_created: at.toISOString(),
    timestamp_last_contact: at.toISOString(),
    last_contacted_from: address,
    email_list: Array.from({ length: 100 }, (_, n) => `${n}.${address}`),
    cc_list: [address],
    bcc_list: [address],
  }
  const variants = Array.from({ length: 900 }, (_, n) => ({ subject: `${n} `.repeat(20) }))
  const { body, payload } = build({ campaign: { ...own, variants } })
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bodyBytesMax)
  expect(payload.data.campaign).toMatchObject(own)
  expect(payload.data.campaign.variants).toHaveLength(900)
  expect(payload.truncated).toContain('/data/campaign/variants/899/subject')
})

test('addresses that are too many for the whole are left out as a list', () => {
  const email_list = Array.from({ length: 3000 }, (_, n) => `mailbox.${n}@example.com`)
  const { body, payload } = build({ campaign: { id, email_list, cc_list: ['copy@example.com'] } })
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bodyBytesMax)
  expect(payload.data.campaign).toEqual({ id, email_list: [], cc_list: ['copy@example.com'] })
  expect(payload.truncated).toEqual(['/data/campaign/email_list'])
})

test('what people name as they like is cut, whatever its name, and every cut text is listed', () => {
  const custom_variables = Object.fromEntries(
    Array.from({ length: 150 }, (_, n) => [`a/b~${n}_url`, 'u'.repeat(1000)]),
  )
  const { body, payload } = build({ lead: { id, custom_variables }, previous_status: 'new' })
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bodyBytesMax)
  expect(payload.data).toMatchObject({ lead: { id }, previous_status: 'new' })
  expect(payload.truncated).toHaveLength(150)
  expect(payload.truncated).toContain('/data/lead/custom_variables/a~1b~07_url')
})

test('thousands of texts still leave an event with its ids', () => {
  const variants = Array.from({ length: 1300 }, (_, n) => ({ id, body: `${n} `.repeat(200) }))
  const { body, payload } = build({ campaign: { id, variants } })
  expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bodyBytesMax)
  expect(payload).toMatchObject({
    id,
    type: 'lead.replied',
    truncated: ['/data/campaign/variants'],
  })
})

test('a record that is long through a list keeps its id', () => {
  const variants = Array.from({ length: 3000 }, () => ({ id, subject: 'short' }))
  const { payload } = build({ campaign: { id, name: 'Large', sequences: [{ steps: variants }] } })
  expect(payload.data).toEqual({ campaign: { id, name: 'Large', sequences: [] } })
  expect(payload.truncated).toEqual(['/data/campaign/sequences'])
})

test('any data gives valid JSON within the limit, and no half of a surrogate pair', () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 30_000 }), { maxLength: 8 })
  fc.assert(
    fc.property(texts, fc.constantFrom('😀', '"', '\\u0001', 'é'), (parts, filler) => {
      const { body, payload } = build({ parts, filler: filler.repeat(20_000) })
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(bodyBytesMax)
      expect(body.isWellFormed() && JSON.stringify(payload).isWellFormed()).toBe(true)
    }),
    { numRuns: 50 },
  )
})
