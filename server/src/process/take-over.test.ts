import { expect, test, vi } from 'vitest'
import { startOutreach } from '../../test/outreach.ts'
import { makeDataDir, startService } from '../../test/processes.ts'

// Whole processes start here, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 })

test('after kill -9 and a new start deliveries and mails go on without waiting for a lease', async () => {
  // Who waits for a lease to end waits for ten minutes.
  const settings = { DATA_DIR: await makeDataDir(), LEASE_MS: '600000' }
  await using outreach = await startOutreach()
  const { outbox, receiver } = outreach
  await using killed = startService('main', settings)
  const api = await outreach.setUp(killed, settings)
  await api.addLeads(['first@lead.example'])
  await outbox.waitFor(1)
  await receiver.waitFor(1)
  killed.kill('SIGKILL')
  await killed.exited

  await using restarted = startService('main', settings)
  const address = await restarted.address()
  const deliveredBefore = receiver.requests.length
  await api.at(address).addLeads(['second@lead.example'])
  const mails = await outbox.waitFor(2)
  expect(mails.map(({ to }) => to)).toEqual(['first@lead.example', 'second@lead.example'])
  await receiver.waitFor(deliveredBefore + 1)
  expect(restarted.logLines.some(({ msg }) => msg.startsWith('runners were killed'))).toBe(true)
})
