import { afterEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'
import { captureStatements } from '../../kernel/db/client.ts'

let sending: Sending
afterEach(async () => {
  captureStatements(undefined)
  await sending[Symbol.asyncDispose]()
})

/** What lanes ask for their work and when they are taken over, by what only that statement says. */
const questions = {
  isOpen: /join sends s on .* and s\.is_open/,
  takesOver: /from mailbox_lanes l\s+join unnest\(.* l\.token < k\.token/s,
  activeCampaigns: /with named as materialized/,
  days: /from (campaign|mailbox)_days d\s+join unnest\(\$1::uuid\[\], \$2::uuid\[\], \$3::date\[\]\)[^;]*d\.day = k\.day$/,
  followUps: /l\.mailbox_id = k\.mailbox_id[^;]*l\.timestamp_next_send <= \$5/,
  nextDue: /least\(f\.due_at, p\.due_at\)/,
}

test('a mailbox that wakes for one mail asks for its work once, and takes itself over only once per lease', async () => {
  sending = await testSending()
  const { ctx } = sending
  const mailbox = await sending.createMailbox('anna@example.com', { gap_seconds: 600 })
  const campaign = await sending.createCampaign([mailbox])
  await sending.addLeads(campaign.id, ['ann@lead.example', 'bob@lead.example', 'cid@lead.example'])
  await sending.startRunner()
  await sending.waitForMails(1)
  await sending.untilAsleep()

  const texts: string[] = []
  captureStatements((text) => texts.push(text))
  ctx.clock.advance(601_000)
  await sending.waitForMails(2)
  await sending.untilAsleep()
  captureStatements(undefined)
  const asked = Object.entries(questions).map(([name, pattern]) => [
    name,
    texts.filter((text) => pattern.test(text)).length,
  ])
  expect(Object.fromEntries(asked)).toEqual({
    ...{ isOpen: 0, takesOver: 0, activeCampaigns: 1, days: 0 },
    ...{ followUps: 1, nextDue: 0 },
  })
})
