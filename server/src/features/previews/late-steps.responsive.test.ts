import { afterAll, beforeAll, expect, test } from 'vitest'
import { longestTurnMs } from '../../../test/longest-turn.ts'
import { type Sending, testSending } from '../../../test/sending.ts'
import { previewStep } from './index.ts'

/** Of processor time; what another client may have to wait for its answer. */
const heldMaxMs = 100

let sending: Sending

beforeAll(async () => {
  sending = await testSending()
})
afterAll(() => sending[Symbol.asyncDispose]())

test('the preview of a late step, before which all others are made, holds up nobody', async () => {
  const mailbox = await sending.createMailbox('anna@example.com')
  const body = `{% for i in (1..800) %}<p>${'word '.repeat(100)}</p>{% endfor %}`
  const steps = Array.from({ length: 50 }, (_, at) => ({
    delay: 1,
    variants: [{ subject: `${at}`, body }],
  }))
  const campaign = await sending.createCampaign([mailbox], { sequences: [{ steps }] })
  await sending.addLeads(campaign.id, ['ada@lead.example'])
  const request = { email: 'ada@lead.example', step: 50 }
  const heldMs = await longestTurnMs(heldMaxMs, async () => {
    const { mail } = await previewStep(sending.ctx, sending.workspaceId, campaign.id, request)
    expect(mail?.subject).toBe('49')
  })
  expect(heldMs).toBeLessThan(heldMaxMs)
})
