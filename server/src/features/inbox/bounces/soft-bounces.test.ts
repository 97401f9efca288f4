import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Inbox, letter, report, testInbox } from '../../../../test/inbox.ts'
import { countInARow } from './soft-bounces.ts'

let inbox: Inbox
beforeAll(async () => {
  inbox = await testInbox()
  await inbox.createReadMailbox()
  inbox.startReader()
})
afterAll(() => inbox[Symbol.asyncDispose]())

const dayMs = 86_400_000
const now = new Date('2026-11-20T09:00:00Z')
const mail = (daysAgo: number, was: 'failed' | 'late' | null, seenDaysAgo?: number) => ({
  email_folded: 'ada@lead.example',
  sent_at: new Date(now.getTime() - daysAgo * dayMs),
  report: was,
  seen_at: seenDaysAgo === undefined ? null : new Date(now.getTime() - seenDaysAgo * dayMs),
})

test.each([
  ['nothing but mails that came back', [mail(1, 'failed'), mail(2, 'failed')], 2],
  ['a mail that is late is neither', [mail(1, 'failed'), mail(2, 'late'), mail(3, 'failed')], 2],
  ['a recent mail may still come back', [mail(1, 'failed'), mail(2, null), mail(4, 'failed')], 2],
  [
    'after three days of silence it arrived',
    [mail(1, 'failed'), mail(3, null), mail(4, 'failed')],
    1,
  ],
  ['somebody saw one', [mail(1, 'failed'), mail(2, 'failed', 1.5), mail(4, 'failed')], 1],
])('%s', (_what, mails, expected) => {
  expect(countInARow(mails, now)).toBe(expected)
})

const full = { status: '4.2.2', diagnostic: 'smtp; 452 4.2.2 Mailbox full' }

/** So many campaigns have written to one address. */
async function writtenTo(recipient: string, times: number) {
  const contacts = []
  for (let time = 0; time < times; time++) contacts.push(await inbox.contact([recipient]))
  return contacts
}

const bounces = async (recipient: string, count: number) => {
  const of = async () => (await inbox.waitForEvents('email.bounced')).filter(isTo(recipient))
  const events = await inbox.untilRead(async () => {
    const found = await of()
    return found.length >= count ? found : undefined
  })
  return events.map((event) => event.data.bounce.kind)
}
const isTo = (recipient: string) => (event: { lead_email: string }) =>
  event.lead_email === recipient

test('five mails in a row that came back are as good as a hard bounce, however often each did', async () => {
  const recipient = 'full@lead.example'
  const contacts = await writtenTo(recipient, 5)
  for (const [at, { messageId }] of contacts.entries()) {
    const of = { recipient, messageId }
    if (at === 0) inbox.arrive(report(of, { ...full, action: 'delayed' }))
    inbox.arrive(report(of, full))
  }
  const kinds = await bounces(recipient, 5)
  expect(kinds).toEqual(['soft', 'soft', 'soft', 'soft', 'hard'])
  const last = contacts.at(-1)?.leadId ?? ''
  expect(await inbox.lead(last)).toMatchObject({ status: 'bounced', stop_reason: 'bounced' })
  expect(await inbox.lead(contacts[0]?.leadId ?? '')).toMatchObject({ stop_reason: 'blocked' })
})

test('an answer ends the row', async () => {
  const recipient = 'moody@lead.example'
  const contacts = await writtenTo(recipient, 5)
  const returned = (at: number) =>
    inbox.arrive(report({ recipient, messageId: contacts[at]?.messageId ?? '' }, full))
  for (const at of [0, 1, 2, 3]) returned(at)
  await bounces(recipient, 4)
  inbox.arrive(letter({ from: recipient, headers: ['Auto-Submitted: auto-replied'] }))
  returned(4)
  expect(await bounces(recipient, 5)).toEqual(['soft', 'soft', 'soft', 'soft', 'soft'])
})
