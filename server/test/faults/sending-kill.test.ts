import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { startSmtpServer } from '../../src/demo/mail-server/index.ts'
import { operator } from '../../src/features/audit/index.ts'
import { createCampaign } from '../../src/features/campaigns/campaigns.ts'
import { updateCampaign } from '../../src/features/campaigns/update-campaign.ts'
import { addLeads } from '../../src/features/leads/index.ts'
import { addMailbox } from '../../src/features/mailboxes/index.ts'
import { listUncertain } from '../../src/features/sending/index.ts'
import { ensureDefaultWorkspace } from '../../src/features/workspaces/index.ts'
import { createSecretBox } from '../../src/kernel/crypto.ts'
import { testContext } from '../context.ts'
import { gate } from '../gate.ts'
import { createOutbox } from '../mail/outbox.ts'
import { startSmtpFaults } from '../mail/smtp-faults.ts'
import { startPgBouncer, throughPooler, whyNoPgBouncer } from '../pgbouncer.ts'
import { makeDataDir, type ServiceProcess, startService } from '../processes.ts'
import { alwaysOpen } from '../sending.ts'

const leads = 400
const mailboxes = 8
const password = 'correct horse'

/**
 * Two runners and a mail server on one database. Each runner is killed in turn in the middle of
 * sending, and now and then a connection breaks after the end of a mail, which was taken or not. In
 * the end every lead has its mail once, or a person is told that nobody knows.
 */
test('kill -9 of every runner in turn sends no step twice, and loses none', () =>
  killWhileSending())

test.skipIf(whyNoPgBouncer)(
  'kill -9 of PgBouncer in the middle of sending sends no step twice, and loses none',
  () => killWhileSending('pooler'),
)

async function killWhileSending(victim?: 'pooler') {
  await using ctx = await testContext()
  const { url } = ctx.database
  await using pooler = victim && (await startPgBouncer(url))
  ctx.clock.run()
  const key = randomBytes(32)
  ctx.secrets = createSecretBox([key])
  const { store, mails: outbox, waitFor: took } = createOutbox()
  const server = gate()
  await using smtp = await startSmtpServer(store, {
    onRcptTo: (_address, _session, callback) => server.pass(callback),
  })
  let ends = 0
  await using proxy = await startSmtpFaults(smtp.port, (moment) => {
    if (moment !== '.') return undefined
    ends += 1
    return ends % 60 === 0 ? (ends % 120 === 0 ? 'drop' : 'drop-after') : undefined
  })
  const workspaceId = (await ensureDefaultWorkspace(ctx)).id
  const addresses = Array.from({ length: mailboxes }, (_, n) => `sender${n}@example.com`)
  for (const address of addresses) {
    store.addAccount({ address, password })
    const login = { host: '127.0.0.1', security: 'none', username: address, password }
    await addMailbox(
      ctx,
      workspaceId,
      {
        ...{ address, daily_limit: 10_000, save_sent: 'off' },
        smtp: { ...login, port: proxy.port },
        imap: { ...login, port: 1 },
      },
      operator,
    )
  }
  const campaign = await createCampaign(ctx, workspaceId, {
    name: 'kill',
    campaign_schedule: alwaysOpen,
    ...{ email_gap: 0, random_wait_max: 0, email_list: addresses },
    sequences: [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }],
  })
  await addLeads(ctx, workspaceId, {
    campaign_id: campaign.id,
    leads: Array.from({ length: leads }, (_, n) => ({ email: `lead${n}@lead.example` })),
    ...{ skip_if_in_workspace: false, overwrite: false },
  })
  const settings = {
    ...(pooler ? throughPooler(pooler, url) : { DATABASE_URL: url }),
    DATA_DIR: await makeDataDir(),
    OUTRIDER_SECRET_KEY: key.toString('base64'),
    OUTBOUND_POLICY: 'any',
    LEASE_MS: '1500',
  }
  const runners = await Promise.all([start(settings), start(settings)])
  await updateCampaign(ctx, workspaceId, campaign.id, { status: 'active' })
  for (const index of [0, 1]) {
    server.letPass(150 * (index + 1))
    await took(outbox.length + 40)
    if (pooler) {
      await pooler.kill()
      await pooler.start()
      continue
    }
    runners[index]?.kill('SIGKILL')
    await runners[index]?.exited
    runners[index] = await start(settings)
  }

  server.letPass(Number.POSITIVE_INFINITY)
  const { peek } = ctx.database
  const ledger = () => peek.selectFrom('sends').selectAll().execute()
  await ctx.database.hear('sends')
  await ctx.database.until(async () => {
    const done = (await ledger()).filter(({ state }) => state === 'sent' || state === 'uncertain')
    return done.length === leads
  })

  const entries = await ledger()
  const arrived = Map.groupBy(outbox, ({ source }) => idOf(source))
  expect([...arrived.values()].filter((mails) => mails.length > 1)).toEqual([])
  expect(new Set(outbox.map(({ to }) => to)).size).toBe(outbox.length)
  const sent = entries.filter(({ state }) => state === 'sent')
  expect(sent.filter(({ message_id }) => !arrived.has(message_id))).toEqual([])
  const known = new Set(entries.map(({ message_id }) => message_id))
  expect([...arrived.keys()].filter((id) => !known.has(id))).toEqual([])

  const uncertain = entries.filter(({ state }) => state === 'uncertain')
  expect(uncertain.length).toBeGreaterThan(0)
  expect(uncertain.length).toBeLessThan(leads / 8)
  expect(await listUncertain(ctx, workspaceId)).toHaveLength(uncertain.length)

  const sum = (rows: { sent: number }[]) => rows.reduce((total, row) => total + row.sent, 0)
  expect(sum(await peek.selectFrom('campaign_days').select('sent').execute())).toBe(leads)
  expect(sum(await peek.selectFrom('mailbox_days').select('sent').execute())).toBe(leads)
  const told = await peek
    .selectFrom('events')
    .select('lead_email')
    .where('type', '=', 'email.sent')
    .execute()
  expect(told).toHaveLength(leads)
  expect(new Set(told.map(({ lead_email }) => lead_email)).size).toBe(leads)
}

const idOf = (source: Buffer) => /^Message-ID: (.*)\r$/m.exec(source.toString())?.[1] ?? ''

async function start(settings: Record<string, string>): Promise<ServiceProcess> {
  const service = startService('runner', settings)
  onTestFinished(() => service[Symbol.asyncDispose]())
  await service.logged('started')
  return service
}
