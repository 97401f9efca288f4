import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { tokenBoxOf, webLinks } from '../../src/features/tracking/index.ts'
import { listen } from '../../src/kernel/db/listen.ts'
import { createLog } from '../../src/kernel/log.ts'
import { hintChannel } from '../../src/kernel/runner/hint.ts'
import { type Runner, startRunner } from '../../src/loops.ts'
import { type TestApi, testApi } from '../app.ts'
import { type Answer, answerInTurn, answerWith, hostile, startReceiver } from '../receiver.ts'
import { createTraffic, type Traffic } from './traffic.ts'

/** Part of every name, text, address, path and answer below. */
const canary = 'q7zcanary'
const email = `${canary}.lead@example.com`

interface Line {
  msg: string
  [field: string]: unknown
}

let api: TestApi
let traffic: Traffic
/** That the runner believes to have passed besides. */
let laterMs = 0
const written: string[] = []
const watchers = new Set<() => void>()

beforeAll(async () => {
  api = await testApi({ webhookRetryDelaysMs: [20, 20] })
  api.ctx.log = createLog('debug', {
    destination: {
      write(line) {
        written.push(line)
        for (const look of watchers) look()
      },
    },
  })
  api.ctx.clock.run()
  const { monotonicMs } = api.ctx
  api.ctx.monotonicMs = () => monotonicMs() + laterMs
  const runner = await startRunner(api.ctx, {
    listen: (onHint) => listen(api.ctx.database.url, hintChannel, onHint, api.ctx.log),
  })
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.app.server.address() as { port: number }
  traffic = createTraffic(api, port, canary)
  await manageKeys()
  const campaign = await createCampaign()
  await deliver(campaign.id)
  await followLinks()
  await sendNonsense(campaign.id)
  await breakTheDatabase(campaign.id, runner)
})
afterAll(() => api[Symbol.asyncDispose]())

test('no secret, payload, address or target is in any line', () => {
  const log = written.join('').toLowerCase()
  const texts = [canary, ...traffic.secrets.flatMap(spellings)]
  expect(texts.filter((each) => log.includes(each.toLowerCase()))).toEqual([])
  expect(log).not.toMatch(/\b(ork|whsec)_/)
  expect(traffic.secrets.length).toBeGreaterThan(8)
})

test('nor in the metrics, nor in the audit log', async () => {
  const metrics = await api.ctx.metrics.text()
  const audit = await api.ctx.database.peek.selectFrom('audit_log').selectAll().execute()
  const kept = `${metrics}${JSON.stringify(audit)}`.toLowerCase()
  const texts = [canary, ...traffic.secrets.flatMap(spellings)]
  expect(texts.filter((each) => kept.includes(each.toLowerCase()))).toEqual([])
  expect(audit.length).toBeGreaterThan(0)
})

test('each request has one line that says who asked for what, and how it went', () => {
  const requests = linesOf('request')
  const told = requests.map((line) => ({
    id: line.request_id,
    method: line.method,
    route: line.route,
    status: line.status,
    workspaceId: line.workspace_id,
  }))
  expect(byText(told)).toEqual(byText(traffic.sent))
  for (const { ms, workspace_id, key_id } of requests) {
    expect(ms).toBeTypeOf('number')
    expect(typeof key_id).toBe(typeof workspace_id)
  }
})

test('each attempt has one line', async () => {
  const attempts = await api.ctx.database.peek
    .selectFrom('webhook_events')
    .select(['retry_group_id', 'retry_count', 'success', 'will_retry', 'status_code as status'])
    .where('response_time_ms', 'is not', null)
    .execute()
  const told = linesOf('delivery attempt').map((line) => ({
    retry_group_id: line.retry_group_id,
    retry_count: line.retry_count,
    success: line.success,
    will_retry: line.will_retry,
    status: line.status,
  }))
  expect(byText(told)).toEqual(byText(attempts))
  expect(new Set(told.map(({ success }) => success))).toEqual(new Set([true, false]))
})

test('a fault of the database is told by its code, in none of its words', () => {
  expect(linesOf('request failed')).toMatchObject([
    { code: '23514', constraint: 'nobody', route: '/api/v2/lead/add' },
  ])
})

const keys = '/oauth/service-accounts'

async function manageKeys() {
  const { ask, must, secrets } = traffic
  const body = { name: canary, scopes: ['leads:read'] }
  const made = await must('POST', keys, keys, body)
  secrets.push(made.key)
  const headers = { 'idempotency-key': canary }
  secrets.push((await ask('POST', keys, keys, { body, headers })).body.key)
  await ask('POST', keys, keys, { body, headers })
  await ask('POST', keys, keys, { body: { ...body, name: 'another' }, headers })
  await ask('GET', keys, keys, { key: made.key })
  await ask('GET', keys, `${keys}?access_token=${made.key}`)
  await ask('GET', keys, keys, { headers: { 'x-workspace-id': canary } })
  await must('DELETE', `${keys}/:id`, `${keys}/${made.id}`)
  await ask('GET', keys, keys, { key: made.key, authenticates: false })
  await ask('GET', keys, keys, { key: canary, authenticates: false })
}

const campaigns = '/api/v2/campaigns'
const leads = '/api/v2/lead'

async function createCampaign(): Promise<{ id: string }> {
  const { ask, must } = traffic
  const steps = [{ variants: [{ subject: `Hello ${canary}`, body: `<p>${canary}</p>` }] }]
  const campaign = await must('POST', campaigns, campaigns, {
    name: canary,
    sequences: [{ steps }],
  })
  await ask('PATCH', `${campaigns}/:id`, `${campaigns}/${campaign.id}`, {
    body: { status: 'active' },
  })
  await ask('POST', campaigns, campaigns, {
    body: { name: canary, sequences: [{ steps: [{ variants: [{ body: `{{ ${canary} | }}` }] }] }] },
  })
  await ask('GET', campaigns, `${campaigns}?search=${canary}`)
  return campaign
}

const webhooks = '/api/v2/webhooks'

/** To receivers that take it, fail and misbehave; each attempt is waited for. */
async function deliver(campaignId: string) {
  const { ask, must, secrets } = traffic
  const answers: Answer[] = [
    answerWith(200, canary, { 'x-answer': canary }),
    answerInTurn(answerWith(500, `<h1>${canary}</h1>`), answerWith(200)),
    answerWith(404, `${email} is unknown here`),
    hostile.redirectTo(`http://127.0.0.1:1/${canary}?${canary}`),
    hostile.resetBeforeHeaders(),
    hostile.closeMidBody(),
    hostile.notHttp(),
    hostile.hugeHeaders(),
    hostile.gzipBomb(1024 * 1024),
    answerWith(410, canary),
  ]
  const receivers = await Promise.all(answers.map((answer) => startReceiver(answer)))
  const targets = [
    ...receivers.map(({ url }) => url),
    'http://127.0.0.1:1',
    'https://127.0.0.1:1',
    `http://${canary}.invalid`,
  ]
  const made: string[] = []
  for (const target of targets) {
    const webhook = await must('POST', webhooks, webhooks, {
      name: canary,
      target_hook_url: `${target}/${canary}?token=${canary}`,
      event_type: 'all_events',
      headers: { authorization: `Bearer ${canary}`, 'x-custom': email },
    })
    secrets.push(webhook.signing_secret)
    made.push(webhook.id)
  }
  const [first = ''] = made
  const rotated = await must('PATCH', `${webhooks}/:id`, `${webhooks}/${first}`, {
    signing_secret: null,
  })
  secrets.push(rotated.signing_secret)
  for (const id of made) await must('POST', `${webhooks}/:id/test`, `${webhooks}/${id}/test`)

  const rows = [
    { email, first_name: canary, personalization: canary, custom_variables: { canary } },
  ]
  await must('POST', `${leads}/add`, `${leads}/add`, { campaign_id: campaignId, leads: rows })
  const query = new URLSearchParams({ campaign_id: campaignId, email })
  await must('GET', `${leads}/get`, `${leads}/get?${query}`)
  const status = { campaign_id: campaignId, email, new_status: 'interested' }
  await must('POST', `${leads}/update/status`, `${leads}/update/status`, status)
  await linesWith(
    (line) => line.msg === 'delivery attempt' && line.will_retry === false,
    made.length * 2 - 1,
  )
  await ask('GET', '/api/v2/webhook-events', `/api/v2/webhook-events?lead_email=${email}`)
  await ask('GET', '/api/v2/webhook-events', `/api/v2/webhook-events?webhook_url=${canary}`)
  await ask('POST', webhooks, webhooks, {
    body: {
      name: canary,
      target_hook_url: `http://169.254.169.254/${canary}`,
      event_type: 'all_events',
    },
  })
  for (const id of made) await must('DELETE', `${webhooks}/:id`, `${webhooks}/${id}`)
  await Promise.all(receivers.map((receiver) => receiver.close()))
}

/** The links of a mail, as its reader and others follow them. */
async function followLinks() {
  const { ask, secrets } = traffic
  const links = webLinks(tokenBoxOf(api.ctx), 'https://go.example.com')
  const lead = await api.ctx.database.peek
    .selectFrom('leads')
    .select('id')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  const mail = { workspaceId: api.workspaceId, leadId: lead.id, stepId: api.ctx.newId() }
  const made = [
    ['GET', '/o/:token', links.open(mail)],
    ['GET', '/c/:token', links.click(mail, `https://${canary}.example/${canary}?${canary}`)],
    ['GET', '/u/:token', links.unsubscribe(mail, `other.${email}`)],
    ['POST', '/u/:token', links.unsubscribe(mail, `other.${email}`)],
    ['GET', '/c/:token', `https://x.example/c/${canary}`],
  ] as const
  for (const [method, route, url] of made) {
    const { pathname } = new URL(url)
    if (!pathname.includes(canary)) secrets.push(pathname.slice(3))
    await ask(method, route, pathname, { authenticates: false })
  }
}

/** Requests that are refused at every stage, each with something in it that must not be told. */
async function sendNonsense(campaignId: string) {
  const { ask } = traffic
  const add = `${leads}/add`
  await ask('GET', 'unknown', `/leads/${email}?email=${email}`)
  await ask('GET', 'unknown', `/%zz${canary}`)
  await traffic.sendBytes(`GET /${canary} HTTP/9\r\nHost: ${canary}\r\n\r\n`)
  await ask('OPTIONS', 'unknown', `${add}?${canary}`)
  await ask('HEAD', `${leads}/get`, `${leads}/get?campaign_id=${campaignId}&email=${email}`)
  await ask('GET', `${leads}/get`, `${leads}/get?campaign_id=${canary}&email=${email}`)
  await ask('POST', add, add, { body: `{"leads": "${email}` })
  await ask('POST', add, add, { body: { campaign_id: campaignId, [canary]: email } })
  await ask('POST', add, add, { body: { campaign_id: campaignId, leads: [{ email: canary }] } })
  await ask('POST', add, add, { body: canary, headers: { 'content-type': `text/${canary}` } })
  await ask('POST', `${leads}/update/status`, `${leads}/update/status`, {
    body: { campaign_id: campaignId, email, new_status: canary },
  })
  await ask('POST', keys, keys, { body: { name: canary.repeat(120_000), scopes: [canary] } })
}

/** A statement that fails with the row in its words, under a request and under a delivery. */
async function breakTheDatabase(campaignId: string, runner: Runner) {
  const { ask, must, secrets } = traffic
  const { peek } = api.ctx.database
  const body = { campaign_id: campaignId, leads: [{ email: `second.${email}` }] }
  await sql`alter table leads add constraint nobody check (false) not valid`.execute(peek)
  await ask('POST', `${leads}/add`, `${leads}/add`, { body })
  await sql`alter table leads drop constraint nobody`.execute(peek)

  const receiver = await startReceiver()
  const webhook = await must('POST', webhooks, webhooks, {
    name: canary,
    target_hook_url: `${receiver.url}/${canary}`,
    event_type: 'all_events',
  })
  secrets.push(webhook.signing_secret)
  await sql`alter table webhook_events add constraint nobody check (false) not valid`.execute(peek)
  const before = linesOf('delivery attempt').length
  const status = { campaign_id: campaignId, email, new_status: 'meeting_booked' }
  await must('POST', `${leads}/update/status`, `${leads}/update/status`, status)
  await linesWith((line) => line.constraint === 'nobody', 2)
  await sql`alter table webhook_events drop constraint nobody`.execute(peek)
  // A refused result is tried again every minute.
  laterMs = 60_000
  await linesWith((line) => line.msg === 'delivery attempt', before + 1)
  await runner.stop()
  await receiver.close()
}

const lines = () => written.map((line) => JSON.parse(line) as Line)
const linesOf = (msg: string) => lines().filter((line) => line.msg === msg)
const byText = (list: object[]) => list.map((each) => JSON.stringify(each)).toSorted()

/** Resolves once so many lines are like this. */
function linesWith(isIt: (line: Line) => boolean, count: number): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (lines().filter(isIt).length < count) return
      watchers.delete(look)
      resolve()
    }
    watchers.add(look)
    look()
  })
}

/** As it is, in part, and as it looks inside something else. */
function spellings(secret: string): string[] {
  const bare = secret.replace(/^(whsec|ork)_/, '')
  const encoded = Buffer.from(secret).toString('base64').slice(0, 20)
  return [bare, bare.slice(0, 12), encoded, encodeURIComponent(bare)]
}
