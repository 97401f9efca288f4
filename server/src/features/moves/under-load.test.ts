import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildTestApp, callOf, type TestApi } from '../../../test/app.ts'
import { asService, type TestContext, testContext } from '../../../test/context.ts'
import { install } from '../../../test/moves.ts'
import { patience } from '../../../test/patience.ts'
import { type Receiver, startReceiver } from '../../../test/receiver.ts'
import { type Sending, testSending } from '../../../test/sending.ts'
import { listen } from '../../kernel/db/listen.ts'
import { hintChannel } from '../../kernel/runner/hint.ts'
import { startDeliveryRunner } from '../deliveries/index.ts'
import { MailboxOwner } from '../mailbox-lanes/index.ts'
import { startSendingRunner } from '../sending/index.ts'
import { moveWorkspace } from './index.ts'

/** Whoever sends and delivers on a database. */
async function work(ctx: TestContext) {
  const service = asService(ctx)
  const hints = (onHint: (hint: string) => void) =>
    listen(ctx.database.url, hintChannel, onHint, ctx.log)
  const owner = new MailboxOwner(service)
  const sending = await startSendingRunner(service, owner, { listen: hints })
  const deliveries = await startDeliveryRunner(service, { listen: hints })
  return async () => {
    await Promise.all([sending.stop(1_000), deliveries.stop(1_000)])
    await owner.stop()
  }
}

let sending: Sending
let b: TestContext
let receiver: Receiver
const stops: (() => Promise<unknown>)[] = []
/** The same key at both databases: as a process asks them in turn. */
let doors: TestApi['call'][]
beforeEach(async () => {
  sending = await testSending()
  b = await testContext()
  b.secrets = sending.ctx.secrets
  b.clock.set(sending.ctx.now())
  b.clock.run()
  await Promise.all([install(sending.ctx), install(b)])
  receiver = await startReceiver()
  const app = await buildTestApp(b)
  doors = [sending.call, callOf(app, sending.key)]
  stops.push(await work(sending.ctx), await work(b), () => app.close())
})
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
  await receiver[Symbol.asyncDispose]()
  await sending[Symbol.asyncDispose]()
  await b[Symbol.asyncDispose]()
})

/** Until it is done, as a client does who hears 503 or 429; what it is not known to at one database, it is at the other. */
async function insist(path: string, body: object) {
  const startedMs = performance.now()
  for (let round = 0; ; round++) {
    const { status, body: answer } = await (doors[round % 2] as TestApi['call'])('POST', path, {
      body,
    })
    if (status < 300) return performance.now() - startedMs
    if (![503, 429, 401].includes(status)) throw new Error(JSON.stringify(answer))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

test('under load a workspace goes there and back: no lead is lost, no mail sent twice, every event delivered, and others feel nothing', async () => {
  const { ctx, workspaceId } = sending
  const hook = await sending.call('POST', '/api/v2/webhooks', {
    body: { name: 'all', target_hook_url: receiver.url, event_type: 'all_events' },
  })
  expect(hook.status).toBe(201)
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  const stranger = await sending.createStranger()
  const theirs = await sending.call('POST', '/api/v2/campaigns', {
    body: { name: 'theirs' },
    key: stranger.key,
  })

  let isOver = false
  const added: string[] = []
  let waitedMs = 0
  const writing = (async () => {
    for (let number = 1; !isOver; number++) {
      const email = `lead${number}@lead.example`
      const body = { campaign_id: campaign.id, leads: [{ email, first_name: 'Ann' }] }
      waitedMs = Math.max(waitedMs, await insist('/api/v2/lead/add', body))
      added.push(email)
    }
  })()
  const others = new Set<number>()
  const bystanding = (async () => {
    while (!isOver) {
      const { status } = await sending.call('PATCH', `/api/v2/campaigns/${theirs.body.id}`, {
        ...{ body: { name: `theirs ${others.size}` }, key: stranger.key },
      })
      others.add(status)
    }
  })()

  const [here, there] = [asService(ctx), asService(b)]
  await expect.poll(() => sending.outbox.length, patience).toBeGreaterThan(3)
  const held: number[] = []
  for (let round = 0; round < 2; round++) {
    const names = { sourceName: 'a', targetName: 'b' }
    held.push((await moveWorkspace(here, there, workspaceId, names)).held_ms)
    const sent = sending.outbox.length
    await expect.poll(() => sending.outbox.length, patience).toBeGreaterThan(sent + 3)
    const back = { sourceName: 'b', targetName: 'a' }
    held.push((await moveWorkspace(there, here, workspaceId, back)).held_ms)
  }
  isOver = true
  await Promise.all([writing, bystanding])
  console.info({ held, waitedMs: Math.round(waitedMs), leads: added.length })

  const { peek } = ctx.database
  const leads = await peek.selectFrom('leads').select('email').execute()
  expect(leads.map(({ email }) => email).toSorted()).toEqual(added.toSorted())
  const recipients = () => sending.outbox.flatMap(({ to }) => to).toSorted()
  await expect.poll(() => new Set(recipients()).size, patience).toBe(added.length)
  const sends = () => peek.selectFrom('sends').select('id').where('state', '=', 'sent').execute()
  await expect.poll(async () => (await sends()).length, patience).toBe(added.length)
  expect(recipients()).toEqual(added.toSorted())

  const events = await peek
    .selectFrom('events')
    .select(['id', 'type'])
    .where('workspace_id', '=', workspaceId)
    .execute()
  const missing = () => {
    const delivered = new Set(receiver.requests.map(({ body }) => JSON.parse(`${body}`).event_id))
    return events.filter(({ id }) => !delivered.has(id)).map(({ type }) => type)
  }
  expect(events.length).toBeGreaterThanOrEqual(added.length)
  await expect.poll(missing, patience).toEqual([])
  expect([...others]).toEqual([200])
  const logged = [...ctx.logLines, ...b.logLines].map((line) => JSON.parse(line))
  expect(logged.filter(({ level }) => level >= 50)).toEqual([])
})
