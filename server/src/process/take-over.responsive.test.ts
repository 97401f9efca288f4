import { expect, test } from 'vitest'
import { startOutreach } from '../../test/outreach.ts'
import { makeDataDirWithDatabase, startService } from '../../test/processes.ts'
import { createSignal } from '../../test/signal.ts'

test('after kill -9 and a new start deliveries and mails go on within 2 s', async () => {
  // Who waits for a lease to end waits for ten minutes.
  const settings = { DATA_DIR: await makeDataDirWithDatabase(), LEASE_MS: '600000' }
  let isSilent = false
  let hangingMails = 0
  const hanging = createSignal()
  await using outreach = await startOutreach({
    smtp: {
      onRcptTo(_address, _session, done) {
        if (!isSilent) return done()
        hangingMails += 1
        hanging.raise()
      },
    },
    answer(_received, response) {
      if (!isSilent) response.end()
    },
  })
  const { outbox, receiver } = outreach
  await using killed = startService('main', settings)
  const api = await outreach.setUp(killed, settings)
  await api.addLeads(['first@lead.example'])
  await outbox.waitFor(1)
  await receiver.waitFor(2)
  // A mail and a delivery are under way when the process dies.
  isSilent = true
  await api.addLeads(['second@lead.example'])
  await hanging.until(() => hangingMails > 0)
  await api.call('PATCH', `campaigns/${api.campaignId}`, { status: 'paused' })
  await api.call('PATCH', `campaigns/${api.campaignId}`, { status: 'active' })
  await receiver.waitFor(3)
  killed.kill('SIGKILL')
  await killed.exited
  isSilent = false

  await using restarted = startService('main', settings)
  const deliveredBefore = receiver.requests.length
  const address = await restarted.address()
  const readyMs = performance.now()
  const sinceReady = () => Math.round(performance.now() - readyMs)
  const [mailMs, deliveryMs] = await Promise.all([
    outbox.waitFor(2).then(sinceReady),
    receiver.waitFor(deliveredBefore + 1).then(sinceReady),
  ])
  expect(deliveryMs).toBeLessThan(2_000)
  expect(mailMs).toBeLessThan(2_000)
  await api.at(address).addLeads(['third@lead.example'])
  const mails = await outbox.waitFor(3)
  expect(mails.map(({ to }) => to)).toEqual(
    ['first', 'second', 'third'].map((name) => `${name}@lead.example`),
  )
  expect(restarted.logLines.some(({ msg }) => msg.startsWith('runners were killed'))).toBe(true)
})
