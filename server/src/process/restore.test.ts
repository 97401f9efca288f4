import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { startOutreach } from '../../test/outreach.ts'
import { patience } from '../../test/patience.ts'
import {
  makeDataDir,
  makeDataDirWithDatabase,
  operatorJson,
  runOperator,
  startService,
} from '../../test/processes.ts'

const heldLine =
  'nothing leaves this database, no mail and no webhook, until "npx outrider sends confirm-restore"'

/** Starts and stops it. */
async function isHeld(DATA_DIR: string): Promise<boolean> {
  await using service = startService('main', { DATA_DIR })
  await service.address()
  const { stdout } = await runOperator(['doctor', '--json'], { DATA_DIR })
  const { checks } = JSON.parse(stdout)
  const isTold = checks.some(
    ({ check, status }: { check: string; status: string }) =>
      check === 'sending' && status === 'fail',
  )
  service.kill('SIGTERM')
  await service.exited
  expect(service.logLines.some(({ msg }) => msg === heldLine)).toBe(isTold)
  return isTold
}

test('a DATA_DIR that was put back sends nothing until somebody confirms it', async () => {
  const original = await makeDataDirWithDatabase()
  expect(await isHeld(original)).toBe(false)
  const copy = join(await makeDataDir(), 'data')
  await cp(original, copy, { recursive: true, preserveTimestamps: true })
  expect(await isHeld(copy)).toBe(true)
  await operatorJson(['sends', 'confirm-restore', '--yes'], { DATA_DIR: copy })
  expect(await isHeld(copy)).toBe(false)
})

test('nothing leaves a database that was put back: no mail, no webhook, no login to a mailbox', async () => {
  const original = await makeDataDirWithDatabase()
  let logins = 0
  const imap = { onConnection: () => void logins++ }
  await using outreach = await startOutreach({ imap })
  const { outbox, receiver } = outreach
  await using before = startService('main', { DATA_DIR: original })
  const api = await outreach.setUp(before, { DATA_DIR: original })
  await api.addLeads(['first@lead.example'])
  await outbox.waitFor(1)
  await receiver.waitFor(1)
  before.kill('SIGTERM')
  await before.exited

  const copy = join(await makeDataDir(), 'data')
  await cp(original, copy, { recursive: true, preserveTimestamps: true })
  const seen = () => ({ mails: outbox.mails.length, webhooks: receiver.requests.length, logins })
  const seenBefore = seen()
  await using restored = startService('main', { DATA_DIR: copy, LEASE_MS: '900' })
  const restoredApi = api.at(await restored.address())
  await restoredApi.addLeads(['second@lead.example'])
  // An event that is delivered within milliseconds by a database that is not held.
  const status = {
    campaign_id: api.campaignId,
    email: 'first@lead.example',
    new_status: 'interested',
  }
  await restoredApi.post('lead/update/status', status)
  await untilLookedOften(copy)
  const asked = await runOperator(['sends', 'confirm-restore'], { DATA_DIR: copy })
  expect(asked.stderr).toMatch(/[1-9]\d* webhook deliveries are pending/)
  expect(seen()).toEqual(seenBefore)

  await operatorJson(['sends', 'confirm-restore', '--yes'], { DATA_DIR: copy })
  await outbox.waitFor(2)
  await receiver.waitFor(seenBefore.webhooks + 1)
})

/** Resolves when its runner has renewed its leases five times, and so has looked for what is due as often. */
async function untilLookedOften(DATA_DIR: string) {
  const client = new pg.Client(await readFile(join(DATA_DIR, 'postgres', 'url'), 'utf8'))
  await client.connect()
  const seen = new Set<string>()
  await vi.waitFor(async () => {
    const { rows } = await client.query(
      `select max(leased_until)::text as until from bucket_leases where kind = 'deliveries'`,
    )
    seen.add(rows[0].until)
    expect(seen.size).toBeGreaterThan(5)
  }, patience)
  await client.end()
}
