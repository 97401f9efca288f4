import { afterEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'

let sending: Sending
afterEach(() => sending[Symbol.asyncDispose]())

const changes: [string, object, RegExp][] = [
  [
    'its text',
    { sequences: [{ steps: [{ variants: [{ subject: 'Corrected', body: '<p>Hi</p>' }] }] }] },
    /^Subject: Corrected\r$/m,
  ],
  ['its copies', { cc_list: ['boss@example.com'] }, /^Cc: boss@example\.com\r$/m],
]

test.each(changes)(
  'once a change of %s was answered, a mail that was about to be finished is made anew',
  async (_what, body, expected) => {
    const arrived = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<undefined>()
    sending = await testSending({
      smtp: {
        onRcptTo(_address, _session, done) {
          arrived.resolve()
          void goOn.promise.then(done)
        },
      },
    })
    const campaign = await sending.createCampaign([await sending.createMailbox('anna@example.com')])
    await sending.startRunner()
    await sending.addLeads(campaign.id, ['a@lead.example'])
    await arrived.promise
    const path = `/api/v2/campaigns/${campaign.id}`
    const steps = campaign.sequences[0].steps
    const kept = 'sequences' in body ? withIds(body, steps[0].id) : body
    expect((await sending.call('PATCH', path, { body: kept })).status).toBe(200)
    goOn.resolve(undefined)
    await sending.waitForLedger((all) => all.every(({ state }) => state === 'sent'))
    for (const { source } of sending.outbox) expect(source.toString()).toMatch(expected)
  },
)

/** The same step with another text, not another step. */
const withIds = (body: object, id: string) => {
  const { sequences } = body as { sequences: { steps: object[] }[] }
  return { sequences: sequences.map(({ steps }) => ({ steps: [{ ...steps[0], id }] })) }
}
