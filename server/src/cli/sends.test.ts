import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { json, run } from '../../test/commands.ts'
import { startSmtpFaults } from '../../test/mail/smtp-faults.ts'
import { type LedgerEntry, type Sending, testSending } from '../../test/sending.ts'

let sending: Sending
let proxy: Awaited<ReturnType<typeof startSmtpFaults>>
beforeEach(async () => {
  sending = await testSending()
  vi.stubEnv('DATABASE_URL', sending.ctx.database.url)
  vi.stubEnv('OUTRIDER_SECRET_KEY', randomBytes(32).toString('base64'))
  vi.stubEnv('DATA_DIR', '/nowhere')
  vi.stubEnv('BASE_URL', '')
  proxy = await startSmtpFaults(sending.smtpPort, (moment) => (moment === '.' ? 'drop' : undefined))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await sending[Symbol.asyncDispose]()
  await proxy[Symbol.asyncDispose]()
})

const uncertain = (count: number) => (all: LedgerEntry[]) =>
  all.filter(({ state }) => state === 'uncertain').length === count

test('uncertain mails are listed, and a person decides each of them once', async () => {
  const mailboxes = [
    await sending.createMailbox('anna@example.com', {}, proxy.port),
    await sending.createMailbox('bert@example.com', {}, proxy.port),
  ]
  const campaign = await sending.createCampaign(mailboxes)
  const runner = await sending.startRunner()
  await sending.addLeads(campaign.id, ['ann@lead.example', 'bob@lead.example'])
  await sending.waitForLedger(uncertain(2))
  await runner.stop(1000)

  const { items } = await json('sends', 'uncertain')
  expect(items).toHaveLength(2)
  expect(items[0]).toMatchObject({ state: 'uncertain', campaign_name: 'test', step: 1 })
  expect((await run('sends', 'uncertain')).stdout).toContain('ann@lead.example')
  expect((await json('sends', 'list', '--state', 'sent')).items).toEqual([])
  expect((await json('sends', 'list', '--campaign', campaign.id)).items).toHaveLength(2)

  const [first, second] = items.map(({ id }: { id: string }) => id)
  expect(await json('sends', 'arrived', first)).toMatchObject({ id: first, state: 'sent' })
  expect(await json('sends', 'send-again', second)).toMatchObject({ id: second, state: 'failed' })
  const again = await run('sends', 'send-again', first)
  expect(again).toMatchObject({ code: 1, stdout: '' })
  expect(again.stderr).toContain('No such uncertain send')
  expect((await json('sends', 'uncertain')).items).toEqual([])
  const states = (await sending.ledger()).map(({ state }) => state).sort()
  expect(states).toEqual(['failed', 'sent'])
})

test('who confirms a restore is told of one uncertain mail as of one, and how to see that of each workspace', async () => {
  const mailbox = await sending.createMailbox('anna@example.com', {}, proxy.port)
  const campaign = await sending.createCampaign([mailbox])
  const runner = await sending.startRunner()
  await sending.addLeads(campaign.id, ['ann@lead.example'])
  await sending.waitForLedger(uncertain(1))
  await runner.stop(1000)
  await run('sends', 'hold')
  expect((await run('sends', 'confirm-restore', '--yes')).stdout).toContain(
    'In all workspaces 1 mail is uncertain and counts as sent: see "npx outrider sends uncertain --workspace NAME"',
  )
})

test('a mail to who gets nothing any more is not sent again, and the command says why', async () => {
  const mailbox = await sending.createMailbox('anna@example.com', {}, proxy.port)
  const campaign = await sending.createCampaign([mailbox])
  const runner = await sending.startRunner()
  await sending.addLeads(campaign.id, ['ann@lead.example'])
  const [entry] = await sending.waitForLedger(uncertain(1))
  await runner.stop(1000)
  const body = { campaign_id: campaign.id, email: 'ann@lead.example', new_status: 'unsubscribed' }
  await sending.call('POST', '/api/v2/lead/update/status', { body })
  const refused = await run('sends', 'send-again', entry?.id ?? '')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('its address is suppressed (unsubscribed)')
  expect(await sending.ledger()).toMatchObject([{ state: 'uncertain' }])
})

test('of a mail to who is paused the command says that it waits for them, and what paused them', async () => {
  const { peek } = sending.ctx.database
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  const refused = sql`alter table events add constraint refused check (lead_email is null)`
  await refused.execute(peek)
  const runner = await sending.startRunner()
  await sending.addLeads(campaign.id, ['ann@lead.example'])
  const [entry] = await sending.waitForLedger(uncertain(1))
  await runner.stop(1000)
  await sql`alter table events drop constraint refused`.execute(peek)
  const again = await run('sends', 'send-again', entry?.id ?? '')
  expect(again.code).toBe(0)
  expect(again.stdout).toContain('as soon as its lead is resumed')
  expect(again.stdout).toContain('its mail was refused: The database refused to record')
  const lead = peek.selectFrom('leads').select(['sending_state', 'skip_reason', 'sent_step_ids'])
  expect(await lead.executeTakeFirst()).toEqual({
    ...{ sending_state: 'paused', sent_step_ids: [] },
    skip_reason: expect.stringContaining('message_refused: '),
  })
})

test('where the first database does not answer, a hold says that nothing is held', async () => {
  vi.stubEnv('DATABASE_URL', 'postgres://outrider@127.0.0.1:1/x')
  const { code, stderr } = await run('sends', 'hold')
  expect(code).toBe(1)
  expect(stderr).toMatch(/127\.0\.0\.1:1 does not answer .* Nothing is held: .* Stop them/)
})

test('sending is held and confirmed by command, and the doctor says so meanwhile', async () => {
  const held = async () => {
    const { checks } = JSON.parse((await run('doctor', '--json')).stdout)
    return checks.find(({ check }: { check: string }) => check === 'sending')
  }
  expect(await held()).toBeUndefined()
  expect((await run('sends', 'confirm-restore', '--yes')).code).toBe(1)
  expect(await json('sends', 'hold')).toMatchObject({ reason: 'operator' })
  expect(await held()).toMatchObject({ status: 'fail' })
  const asked = await run('sends', 'confirm-restore')
  expect(asked.code).toBe(1)
  for (const part of [
    'An operator held it',
    'knows of no mail: whatever was sent goes out again',
    'leads are due',
    'deliveries are pending',
  ]) {
    expect(asked.stderr).toContain(part)
  }
  expect(await held()).toMatchObject({ status: 'fail' })
  expect(await json('sends', 'confirm-restore', '--yes')).toEqual({ uncertain: 0 })
  expect(await held()).toBeUndefined()
})
