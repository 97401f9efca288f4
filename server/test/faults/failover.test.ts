import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { startSmtpServer } from '../../src/demo/mail-server/index.ts'
import { operator } from '../../src/features/audit/index.ts'
import { createCampaign } from '../../src/features/campaigns/campaigns.ts'
import { updateCampaign } from '../../src/features/campaigns/update-campaign.ts'
import { addLeads } from '../../src/features/leads/index.ts'
import { addMailbox } from '../../src/features/mailboxes/index.ts'
import { findSendingHold } from '../../src/features/sending/index.ts'
import { ensureDefaultWorkspace } from '../../src/features/workspaces/index.ts'
import { createSecretBox } from '../../src/kernel/crypto.ts'
import { connect, pipelineOf } from '../../src/kernel/db/db.ts'
import { listen } from '../../src/kernel/db/listen.ts'
import { migrate } from '../../src/kernel/db/migrate.ts'
import { apiTimeouts } from '../../src/kernel/db/timeouts.ts'
import { toAppError } from '../../src/kernel/http/error-reply.ts'
import { createIdGenerator } from '../../src/kernel/ids.ts'
import { ensurePartitions } from '../../src/partitions.ts'
import { requireSameServer } from '../../src/process/pooler.ts'
import { testContext } from '../context.ts'
import { freeHandle } from '../database.ts'
import { gate } from '../gate.ts'
import { createOutbox } from '../mail/outbox.ts'
import { patience } from '../patience.ts'
import { makeDataDir, operatorJson, runOperator, startService } from '../processes.ts'
import { alwaysOpen } from '../sending.ts'
import { silentLog } from '../sharded.ts'
import { type Pair, startPair, whyNoStandby } from '../standby.ts'

// Ten of each kind: FAILOVERS=10
const times = Array.from({ length: Number(process.env.FAILOVERS ?? 1) }, (_, n) => n + 1)
const leads = 300
const password = 'correct horse'

test.skipIf(whyNoStandby).each(times)(
  'a synchronous standby takes over: sending goes on by itself, nothing is lost or sent twice (%i)',
  async () => {
    await using pair = await startPair({ isSynchronous: true })
    const { outbox, took, server, db } = await startSending(pair, 2)
    server.letPass(150)
    await took(60)
    await pair.failOver()
    const promotedAt = performance.now()
    server.letPass(Number.POSITIVE_INFINITY)
    const before = outbox.length
    // Beyond those whose end was under way when the primary died.
    await took(before + 100)
    const ms = performance.now() - promotedAt
    // By the wall clock, which counts for nothing beside other test files.
    if (process.env.FAILOVERS) {
      console.log(`went on after ${Math.round(ms)} ms`)
      expect(ms).toBeLessThan(10_000)
    }
    const states = await settled(pair)
    expect(states).toHaveLength(leads)
    expect(new Set(outbox.map(({ to }) => to)).size).toBe(outbox.length)
    expect(outbox.length).toBeGreaterThanOrEqual(states.filter((state) => state === 'sent').length)
    expect(await findSendingHold(db)).toBeNull()
  },
)

test.skipIf(whyNoStandby).each(times)(
  'a standby that lags takes over: what it lacks is named, and sent again once a person says so (%i)',
  async () => {
    await using pair = await startPair({ isSynchronous: false })
    const { outbox, took, server, settings, services } = await startSending(pair, 1)
    server.letPass(80)
    await took(30)
    await pair.holdBack()
    server.letPass(200)
    await took(outbox.length + 40)
    await pair.failOver()
    server.letPass(Number.POSITIVE_INFINITY)
    await services[0]?.logged('the new primary lacks mails that were sent')
    const ask = () =>
      vi.waitFor(async () => {
        const { stderr, stdout } = await runOperator(['sends', 'confirm-restore'], settings)
        expect(stderr + stdout).toContain('goes out again')
        return stderr + stdout
      }, patience)
    const named = new Set((await ask()).match(/lead\d+@lead\.example/g))
    expect(named.size).toBeGreaterThan(0)
    // The mails arrive, too, whose end was under way when the old primary died.
    const unsent = () => [...named].filter((address) => !outbox.some(({ to }) => to === address))
    await expect.poll(unsent, patience).toEqual([])
    const sent = outbox.map(({ to }) => to)
    expect(new Set(sent).size).toBe(sent.length)
    await ask()
    expect(outbox).toHaveLength(sent.length)

    await vi.waitFor(() => operatorJson(['sends', 'confirm-restore', '--yes'], settings), patience)
    expect(await settled(pair)).toHaveLength(leads)
    const byLead = Map.groupBy(outbox, ({ to }) => to)
    const again = [...byLead].filter(([, mails]) => mails.length > 1)
    expect(again.filter(([to, mails]) => !named.has(to) || mails.length > 2)).toEqual([])
  },
)

test.skipIf(whyNoStandby).each(['demote', 'setReadOnly'] as const)(
  'connections that lead to an old primary end where it takes no changes any more (%s)',
  async (end) => {
    await using pair = await startPair({ isSynchronous: false })
    const { db, pool } = connect(pair.url, 4, apiTimeouts)
    onTestFinished(() => db.destroy())
    await pool.query('create table counters as select 0 as value')
    const change = () => pool.query('update counters set value = value + 1')
    const look = async () => pipelineOf(db)?.query('select pg_is_in_recovery() as is_standby', [])
    await look()
    const heard: string[] = []
    const hear = (payload: string) => heard.push(payload)
    onTestFinished(await listen(pair.url, 'told', hear, silentLog, undefined, 500))
    await pair[end]()
    await expect
      .poll(() => change().catch(toAppError), patience)
      .toMatchObject({
        message: expect.stringContaining('takes no changes'),
      })
    await expect(look()).rejects.toMatchObject({ code: '25006' })
    await pair.moveAddress()
    await vi.waitFor(change, patience)
    expect((await vi.waitFor(look, patience))?.rows).toEqual([{ is_standby: false }])
    await vi.waitFor(async () => {
      await pool.query("notify told, 'by the new one'")
      expect(heard).toContain('by the new one')
    }, patience)
  },
)

test.skipIf(whyNoStandby)(
  'a command is refused whose way leads to the old primary while that of the service leads to the new one',
  async () => {
    await using pair = await startPair({ isSynchronous: false })
    const config = readConfig({ DATABASE_URL: pair.url, DATABASE_DIRECT_URL: pair.firstUrl })
    await requireSameServer(config)
    await requireSameServer({ ...config, databaseUrl: 'postgres://127.0.0.1:1/x' })
    await pair.moveAddress()
    await expect(requireSameServer(config)).rejects.toThrow('as after a failover that moved one')
  },
)

/** Every lead has its mail, or nobody knows. */
const settled = (pair: Pair) =>
  vi.waitFor(async () => {
    const states = (await pair.query('select state from sends')).map(({ state }) => state as string)
    expect(states.filter((state) => state === 'sent' || state === 'uncertain')).toHaveLength(leads)
    return states
  }, patience)

/** An active campaign and runners on the pair, whose mail server takes as many as it is let. */
async function startSending({ url }: Pair, runners: number) {
  await migrate(url)
  const base = await testContext()
  onTestFinished(() => base[Symbol.asyncDispose]())
  const { db } = connect(url, 4)
  onTestFinished(() => db.destroy())
  const key = randomBytes(32)
  const now = () => new Date()
  const ctx = {
    ...base,
    db: freeHandle(db),
    secrets: createSecretBox([key]),
    now,
    newId: createIdGenerator(now),
  }
  await ensurePartitions(ctx)
  const { store, mails: outbox, waitFor: took } = createOutbox()
  const server = gate()
  const smtp = await startSmtpServer(store, {
    onRcptTo: (_address, _session, callback) => server.pass(callback),
  })
  onTestFinished(() => smtp[Symbol.asyncDispose]())
  const workspaceId = (await ensureDefaultWorkspace(ctx)).id
  const addresses = ['anna@example.com', 'bert@example.com', 'cleo@example.com', 'dora@example.com']
  for (const address of addresses) {
    store.addAccount({ address, password })
    const login = { host: '127.0.0.1', security: 'none', username: address, password }
    const servers = { smtp: { ...login, port: smtp.port }, imap: { ...login, port: 1 } }
    const mailbox = { address, daily_limit: 10_000, save_sent: 'off', ...servers }
    await addMailbox(ctx, workspaceId, mailbox, operator)
  }
  const campaign = await createCampaign(ctx, workspaceId, {
    ...{ name: 'Failover', campaign_schedule: alwaysOpen, email_list: addresses },
    ...{ email_gap: 0, random_wait_max: 0 },
    sequences: [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }],
  })
  await addLeads(ctx, workspaceId, {
    campaign_id: campaign.id,
    leads: Array.from({ length: leads }, (_, n) => ({ email: `lead${n}@lead.example` })),
    ...{ skip_if_in_workspace: false, overwrite: false },
  })
  await updateCampaign(ctx, workspaceId, campaign.id, { status: 'active' })
  const settingsOf = async () => ({
    ...{ DATABASE_URL: url, DATA_DIR: await makeDataDir(), OUTBOUND_POLICY: 'any' },
    OUTRIDER_SECRET_KEY: key.toString('base64'),
  })
  const settings = await settingsOf()
  const services = []
  for (let count = 0; count < runners; count++) {
    const service = startService('runner', count === 0 ? settings : await settingsOf())
    onTestFinished(() => service[Symbol.asyncDispose]())
    await service.logged('started')
    services.push(service)
  }
  return { outbox, took, server, settings, services, db }
}
