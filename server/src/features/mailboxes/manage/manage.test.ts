import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../../test/app.ts'
import { type Browser, setUp } from '../../../../test/browser.ts'
import { createConversation } from '../../../../test/conversations.ts'
import { startMailServers } from '../../../../test/mail/mail-servers.ts'
import { createRealMailbox } from '../../../../test/mail/mailboxes.ts'
import { startTcpServer } from '../../../../test/tcp-server.ts'
import { operator } from '../../audit/index.ts'
import { addMailbox } from '../mailboxes.ts'
import { getManagedMailbox, sumMailboxUse } from './managed-mailboxes.ts'
import { takeTestSlot } from './stream-test.ts'

let api: TestApi
let owner: Browser
let userId: string
let mailServers: Record<string, string[] | 'fails'> = {}
let texts: Record<string, string[]> = {}

beforeAll(async () => {
  api = await testApi()
  api.ctx.lookupMail = async (domain) => {
    const found = mailServers[domain] ?? []
    if (found === 'fails') throw new Error('SERVFAIL')
    return found
  }
  api.ctx.lookupText = async (name) => texts[name] ?? []
  owner = await setUp(api)
  userId = (await owner.call('GET', '/app/session')).body.user.id
})
afterAll(() => api[Symbol.asyncDispose]())

const call = async (method: string, path: string, body?: object) =>
  owner.call(method, `/app/mailboxes${path}`, {
    headers: { 'x-workspace-id': api.workspaceId },
    ...(body ? { body } : {}),
  })

const server = { host: 'mail.example.com', username: 'anna', password: 'top secret' }
const add = async (address: string, more: object = {}) => {
  const answer = await call('POST', '', { address, smtp: server, imap: server, ...more })
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

test('a mailbox is shown with its servers, what it sent on its own day, and without its passwords', async () => {
  const ramp_up = { start: 5, step: 5 }
  const added = await add('anna@zone.example', { timezone: 'Pacific/Kiritimati', ramp_up })
  // There it is the next day already.
  const day = Temporal.Instant.fromEpochMilliseconds(api.ctx.now().getTime())
    .toZonedDateTimeISO('Pacific/Kiritimati')
    .toPlainDate()
  for (const [date, sent] of [
    [day.subtract({ days: 1 }), 40],
    [day, 3],
  ] as const) {
    await api.ctx.database.peek
      .insertInto('mailbox_days')
      .values({
        ...{ workspace_id: api.workspaceId, mailbox_id: added.id, day: date.toString(), sent },
      })
      .execute()
  }
  const { body } = await call('GET', `/${added.id}`)
  expect(body).toMatchObject({
    ...{ sent_today: 3, limit_today: 5, is_inbox_read: false, provider: 'other', consent: null },
    smtp: { host: 'mail.example.com', port: 587, security: 'starttls', login: 'password' },
  })
  expect(JSON.stringify(body)).not.toContain('top secret')
})

test('what a mailbox has sent today is that of the day of the service, whatever day the database has', async () => {
  await using own = await testApi()
  const { ctx, workspaceId } = own
  ctx.clock.advance(3 * 86_400_000)
  const mailbox = { address: 'anna@later.example', smtp: server, imap: server }
  const { id } = await addMailbox(ctx, workspaceId, mailbox, operator)
  const day = ctx.now().toISOString().slice(0, 10)
  await ctx.database.peek
    .insertInto('mailbox_days')
    .values({ workspace_id: workspaceId, mailbox_id: id, day, sent: 3 })
    .execute()
  expect(await getManagedMailbox(ctx, workspaceId, id)).toMatchObject({ sent_today: 3 })
  expect(await sumMailboxUse(ctx, workspaceId)).toMatchObject({ mails_today: 3 })
})

test('mailboxes are found by a part of address or name, and by their state', async () => {
  const one = await add('needle_1@find.example')
  const two = await add('other@find.example', { display_name: 'The Needle_1' })
  await add('needlex1@find.example')
  await call('POST', `/${two.id}/pause`)
  const idsOf = async (query: string) =>
    (await call('GET', query)).body.items.map(({ id }: { id: string }) => id)
  expect(await idsOf('?search=NEEDLE_1')).toEqual([two.id, one.id])
  expect(await idsOf('?search=NEEDLE_1&status=paused')).toEqual([two.id])
})

test('whoever changes a mailbox is in the audit log', async () => {
  const { id } = await add('audited@example.com')
  await call('PATCH', `/${id}`, { daily_limit: 7 })
  await call('POST', `/${id}/pause`)
  await call('POST', `/${id}/resume`)
  await call('DELETE', `/${id}`)
  const entries = await api.ctx.database.peek
    .selectFrom('audit_log')
    .select(['action', 'actor_type', 'actor_id'])
    .where('subject_id', '=', id)
    .orderBy('id')
    .execute()
  const by = { actor_type: 'user', actor_id: userId }
  const actions = ['added', 'updated', 'paused', 'resumed', 'removed']
  expect(entries).toEqual(actions.map((action) => ({ action: `mailbox.${action}`, ...by })))
})

test('a mailbox says which campaigns send from it', async () => {
  const { id, address } = await add('used@example.com')
  const campaign = { name: 'Autumn', email_list: [address] }
  const headers = { 'x-workspace-id': api.workspaceId }
  await owner.call('POST', '/app/api/v2/campaigns', { body: campaign, headers })
  expect((await call('GET', `/${id}/use`)).body).toMatchObject({
    campaigns: [{ name: 'Autumn', status: 'draft' }],
    waiting: [],
  })
})

test('a mailbox that was removed is listed while leads or conversations are in it', async () => {
  const headers = { 'x-workspace-id': api.workspaceId }
  const [led, idle] = [await add('led@example.com'), await add('idle@example.com')]
  const body = { name: 'Winter', email_list: [led.address] }
  const { id: campaign_id } = (await owner.call('POST', '/app/api/v2/campaigns', { body, headers }))
    .body
  const leads = [{ email: 'led@lead.example' }]
  await owner.call('POST', '/app/api/v2/lead/add', { body: { campaign_id, leads }, headers })
  const update = api.ctx.database.peek.updateTable('leads').where('campaign_id', '=', campaign_id)
  await update.set({ mailbox_id: led.id, sending_state: 'active', current_step: 1 }).execute()
  const listed = async () => (await call('GET', '/removed')).body.items
  expect(await listed()).toEqual([])
  for (const { id } of [led, idle]) await call('DELETE', `/${id}`)
  expect(await listed()).toMatchObject([{ id: led.id, address: led.address }])
  await update.set({ sending_state: 'stopped' }).execute()
  expect(await listed()).toEqual([])
  await createConversation(api, api.workspaceId, campaign_id)
  await api.ctx.database.peek.updateTable('threads').set({ mailbox_id: led.id }).execute()
  expect(await listed()).toMatchObject([{ id: led.id }])
})

test.each([
  ['google', ['ASPMX.L.GOOGLE.COM.'], 'smtp.gmail.com'],
  ['microsoft', ['acme-com.mail.protection.outlook.com'], 'smtp.office365.com'],
  ['microsoft', ['outlook-com.olc.protection.outlook.com'], 'smtp-mail.outlook.com'],
  ['zoho', ['mx.zoho.eu', 'mx2.zoho.eu'], 'smtppro.zoho.eu'],
  ['zoho', ['mx.zoho.com.au'], 'smtppro.zoho.com.au'],
  ['zoho', ['mx.zohocloud.ca', 'mx2.zohocloud.ca'], 'smtppro.zohocloud.ca'],
  ['fastmail', ['in1-smtp.messagingengine.com'], 'smtp.fastmail.com'],
  ['ionos', ['mx00.ionos.co.uk'], 'smtp.ionos.co.uk'],
  ['ionos', ['mx00.kundenserver.de'], 'smtp.ionos.de'],
  ['yahoo', ['mta5.am0.yahoodns.net'], 'smtp.mail.yahoo.com'],
  ['icloud', ['mx01.mail.icloud.com'], 'smtp.mail.me.com'],
  ['other', ['mail.google.com.evil.example'], undefined],
])('%s is known by %s', async (provider, mx, host) => {
  mailServers = { 'acme.example': mx }
  const { body } = await call('GET', '/suggest?address=Ann@acme.example')
  expect([body.provider, body.smtp?.host, body.takes_mail]).toEqual([provider, host, true])
})

test('an address is refused, unknown or known already, each in its own way', async () => {
  expect((await call('GET', '/suggest?address=nobody')).status).toBe(400)
  mailServers = { 'silent.example': 'fails' }
  const of = async (address: string) =>
    (await call('GET', `/suggest?address=${encodeURIComponent(address)}`)).body
  expect(await of('ann@silent.example')).toMatchObject({ takes_mail: null, smtp: null })
  expect(await of('ann@none.example')).toMatchObject({ takes_mail: false })
  const { id } = await add('There@example.com')
  expect(await of('there@EXAMPLE.com')).toMatchObject({ mailbox_id: id })
})

test('a domain is given the records that it lacks, and none where all is well', async () => {
  mailServers = { 'gap.example': ['aspmx.l.google.com'] }
  texts = {
    'gap.example': ['v=spf1 ip4:192.0.2.1 include:mail.example -all'],
    'mail.example': ['v=spf1 include:other.example'],
  }
  const gmail = { ...server, host: 'smtp.gmail.com' }
  const { id } = await add('ann@gap.example', { smtp: gmail })
  const findings = async () =>
    Object.fromEntries(
      (await call('GET', `/${id}/dns`)).body.findings.map(
        ({ record, status, records }: { record: string; status: string; records: object[] }) => [
          record,
          { status, records },
        ],
      ),
    )
  const spf = 'v=spf1 ip4:192.0.2.1 include:mail.example include:_spf.google.com -all'
  expect(await findings()).toMatchObject({
    SPF: { status: 'warn', records: [{ type: 'TXT', name: 'gap.example', value: spf }] },
    DKIM: { status: 'warn', records: [] },
    DMARC: { records: [{ name: '_dmarc.gap.example', value: 'v=DMARC1; p=none' }] },
    tracking: { status: 'warn' },
  })
  // Named by a record that it includes.
  texts['other.example'] = ['v=spf1 include:_spf.google.com ~all']
  texts['_dmarc.gap.example'] = ['v=DMARC1; p=none']
  texts['google._domainkey.gap.example'] = ['v=DKIM1; p=MIIB']
  expect(await findings()).toMatchObject({
    SPF: { status: 'ok', records: [] },
    DKIM: { status: 'ok' },
    DMARC: { status: 'ok', records: [] },
  })
})

test.each([
  ['v=spf1 a -all', 'v=spf1 a include:_spf.google.com -all'],
  ['v=spf1 a ?ALL', 'v=spf1 a include:_spf.google.com ?ALL'],
  // Who lets everybody send has most likely not meant it.
  ['v=spf1 a +all', 'v=spf1 a include:_spf.google.com ~all'],
  ['v=spf1 a all', 'v=spf1 a include:_spf.google.com ~all'],
  ['v=spf1 a', 'v=spf1 a include:_spf.google.com ~all'],
  // A redirection counts only where there is no "all".
  [
    'v=spf1 a Redirect=_spf.host.example',
    'v=spf1 a include:_spf.host.example include:_spf.google.com ~all',
  ],
  ['v=spf1 a redirect=_spf.host.example -all', 'v=spf1 a include:_spf.google.com -all'],
])(
  'the record that is offered in place of "%s" says what that said, and the provider',
  async (had, offered) => {
    mailServers = {}
    texts = { 'kept.example': [had] }
    const address = `ann${api.ctx.newId()}@kept.example`
    const { id } = await add(address, { smtp: { ...server, host: 'smtp.gmail.com' } })
    const { findings } = (await call('GET', `/${id}/dns`)).body
    const spf = findings.find(({ record }: { record: string }) => record === 'SPF')
    expect(spf.records).toMatchObject([{ value: offered }])
  },
)

test('a test is told step by step while it runs, and ends with how it went', async () => {
  await using servers = await startMailServers()
  const { id } = await createRealMailbox(api.ctx, api.workspaceId, servers, servers.anna)
  const linesOf = async () =>
    String((await call('POST', `/${id}/test`)).body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  const lines = await linesOf()
  expect(lines.map(({ step }) => step)).toEqual([
    ...['SPF', 'DKIM', 'DMARC', 'links', 'imap login', 'smtp login'],
    ...['folders', 'sending', 'arrival', 'done'],
  ])
  expect(lines.at(-1)).toMatchObject({ status: 'ok' })
  servers.anna.password = 'changed'
  const failed = await linesOf()
  expect(failed.at(-1)).toMatchObject({ step: 'done', status: 'fail' })
  expect((await call('GET', `/${id}`)).body.status).toBe('error')
  const missing = await call('POST', `/${api.ctx.newId()}/test`)
  expect([missing.status, missing.body.code]).toEqual([404, 'not_found'])
})

test('a workspace has at most 4 tests of mailboxes under way, and may begin one when one has ended', async () => {
  const fourth = Promise.withResolvers<void>()
  // It takes the connection and greets nobody.
  await using silent = await startTcpServer((socket, connection) => {
    if (connection > 4) socket.destroy()
    if (connection === 4) fourth.resolve()
  })
  const ports = { smtpPort: silent.port, imapPort: silent.port }
  const account = { address: 'slow@lead.example', password: 'secret' }
  const { id } = await createRealMailbox(api.ctx, api.workspaceId, ports, account)
  const test = () => call('POST', `/${id}/test`)
  const underWay = Array.from({ length: 4 }, test)
  await fourth.promise
  const refused = await test()
  expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited'])
  expect(silent.connections).toBe(4)

  for (const socket of silent.sockets) socket.destroy()
  for (const { status } of await Promise.all(underWay)) expect(status).toBe(200)
  expect((await test()).status).toBe(200)
})

test('a process has at most 32 tests of mailboxes under way', () => {
  const mail = { ...api.ctx.mail }
  const slots = Array.from({ length: 32 }, (_, index) =>
    takeTestSlot(mail, `workspace ${index >> 2}`),
  )
  expect(() => takeTestSlot(mail, 'workspace 8')).toThrow(
    expect.objectContaining({ code: 'unavailable' }),
  )
  slots[0]?.[Symbol.dispose]()
  takeTestSlot(mail, 'workspace 8')
})

test.each([
  ['smtp.ionos.de', 'include:_spf-eu.ionos.com'],
  ['smtp.ionos.com', 'include:_spf-us.ionos.com'],
  ['smtp.zoho.eu', 'include:zohomail.eu'],
  ['smtp.zohocloud.ca', 'include:zohocloud.ca'],
])(
  'where the MX is a gateway, the record names the part of the provider that %s belongs to',
  async (host, include) => {
    mailServers = { 'gateway.example': ['mx1.hornetsecurity.com'] }
    texts = {}
    const address = `ann${api.ctx.newId()}@gateway.example`
    const { id } = await add(address, { smtp: { ...server, host } })
    const { findings } = (await call('GET', `/${id}/dns`)).body
    const spf = findings.find(({ record }: { record: string }) => record === 'SPF')
    expect(spf.records).toMatchObject([{ value: `v=spf1 ${include} ~all` }])
  },
)
