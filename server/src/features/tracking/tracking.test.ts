import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { createSentMail, type SentMail } from '../../../test/sent-mail.ts'
import { tablesWith } from '../../../test/tables-with.ts'
import { inWorkspace } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator } from '../audit/index.ts'
import { startErasure } from '../erasure/erase.ts'
import { eraseLead, runErasures } from '../erasure/index.ts'
import { findSuppressed, lockSuppressions } from '../suppression/index.ts'
import { tokenBoxOf, type WebLinks, webLinks } from './index.ts'

let api: TestApi
let origin: string
let links: WebLinks
let mail: SentMail

beforeAll(async () => {
  api = await testApi()
  await api.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = api.app.server.address() as { port: number }
  origin = `http://127.0.0.1:${port}`
  links = webLinks(tokenBoxOf(api.ctx), origin)
})
afterAll(() => api[Symbol.asyncDispose]())

beforeEach(async () => {
  mail = await createSentMail(api)
})

const person = {
  'user-agent': 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15',
}

const visit = (url: string, more: RequestInit = {}) =>
  fetch(url, { redirect: 'manual', ...more, headers: { ...person, ...more.headers } })

const lead = async (id = mail.leadId) =>
  api.ctx.database.peek
    .selectFrom('leads')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

const eventsOf = async ({ email }: SentMail) => {
  const rows = await api.ctx.database.peek
    .selectFrom('events')
    .select(['type', 'body'])
    .where('lead_email', '=', email)
    .orderBy('id')
    .execute()
  return rows.map(({ type, body }) => ({ type, data: JSON.parse(body).data }))
}

const target = 'https://example.com/a?b=1&c=ü#d'
const oneClick = {
  method: 'POST',
  body: 'List-Unsubscribe=One-Click',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
}

describe('an open', () => {
  test('is counted, and answered with an image that nobody keeps', async () => {
    const answer = await visit(links.open(mail))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('image/gif')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const image = Buffer.from(await answer.arrayBuffer())
    expect([image.toString('latin1', 0, 6), image.readUInt32LE(6)]).toEqual(['GIF89a', 0x10001])
    expect(await lead()).toMatchObject({ email_open_count: 1, timestamp_last_open: api.ctx.now() })
    const message = {
      message_id: mail.messageId,
      subject: mail.subject,
      step: 1,
      variant: 1,
      mailbox: mail.mailbox,
    }
    expect(await eventsOf(mail)).toMatchObject([{ type: 'email.opened', data: { message } }])
  })

  test('works without the ending of an image too', async () => {
    expect((await visit(links.open(mail).replace('.gif', ''))).status).toBe(200)
    expect((await lead()).email_open_count).toBe(1)
  })
})

describe('a click', () => {
  test('is counted, and leads where the link of the mail led', async () => {
    const answer = await visit(links.click(mail, target))
    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toBe(new URL(target).href)
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer')
    expect(await lead()).toMatchObject({
      email_click_count: 1,
      timestamp_last_click: api.ctx.now(),
    })
    const clicks = (await eventsOf(mail)).filter(({ type }) => type === 'email.clicked')
    expect(clicks).toMatchObject([{ data: { url: target } }])
  })

  test('leads there when the lead is gone', async () => {
    await sql`delete from leads where id = ${mail.leadId}`.execute(api.ctx.database.peek)
    const answer = await visit(links.click(mail, target))
    expect([answer.status, answer.headers.get('location')]).toEqual([302, new URL(target).href])
    expect(await eventsOf(mail)).toEqual([])
  })
})

test('an open or a click tells nothing of a person who was erased, whom the link may name', async () => {
  const { ctx, workspaceId } = api
  await startErasure(ctx, workspaceId, mail.leadId, operator)
  await runErasures(ctx)
  const named = `https://shop.example/?to=${encodeURIComponent(mail.email)}`
  expect((await visit(links.open(mail))).status).toBe(200)
  const answer = await visit(links.click(mail, named))
  expect([answer.status, answer.headers.get('location')]).toEqual([302, named])
  for (const text of [mail.email, encodeURIComponent(mail.email)]) {
    expect(await tablesWith(ctx.database.peek, text)).toEqual([])
  }
  expect(await lead()).toMatchObject({ email_open_count: 0, email_click_count: 0 })
})

test('opens and clicks tell the id that the mail was sent under, whatever its provider calls it', async () => {
  const sends = api.ctx.database.peek.updateTable('sends')
  await sends
    .set({ provider_message_id: '<stamped@provider.example>' })
    .where('lead_id', '=', mail.leadId)
    .execute()
  await visit(links.open(mail))
  await visit(links.click(mail, target))
  const message = { message_id: mail.messageId }
  expect(await eventsOf(mail)).toMatchObject([
    { type: 'email.opened', data: { message } },
    { type: 'email.clicked', data: { message } },
  ])
})

test.each<[string, RequestInit]>([
  ['a scanner', { headers: { 'user-agent': 'Mimecast URL Protect' } }],
  ['HEAD', { method: 'HEAD' }],
  ['no name', { headers: { 'user-agent': '' } }],
])('%s is answered, and neither counted nor told', async (_who, more) => {
  expect((await visit(links.open(mail), more)).status).toBe(200)
  expect((await visit(links.click(mail, target), more)).status).toBe(302)
  expect(await lead()).toMatchObject({ email_open_count: 0, email_click_count: 0, status: 'new' })
  expect(await eventsOf(mail)).toEqual([])
})

test('an image that Gmail fetches for a reader is an open', async () => {
  await visit(links.open(mail), { headers: { 'user-agent': 'GoogleImageProxy' } })
  expect(await lead()).toMatchObject({ email_open_count: 1 })
})

test('who comes sooner than anybody reads is not counted', async () => {
  await sql`update sends set timestamp_settled = ${api.ctx.now()} where lead_id = ${mail.leadId}`.execute(
    api.ctx.database.peek,
  )
  await visit(links.open(mail))
  await visit(links.click(mail, target))
  expect(await lead()).toMatchObject({ email_open_count: 0, email_click_count: 0 })
})

test('the same again within a second is counted once, however many come at a time', async () => {
  const visits = () => [
    links.open(mail),
    links.click(mail, target),
    links.click(mail, `${target}2`),
  ]
  await Promise.all([...visits(), ...visits(), ...visits()].map((url) => visit(url)))
  expect(await lead()).toMatchObject({ email_open_count: 1, email_click_count: 1 })
  api.ctx.clock.advance(1000)
  await Promise.all(visits().map((url) => visit(url)))
  expect(await lead()).toMatchObject({ email_open_count: 2, email_click_count: 2 })
})

test.each([null, 'bounced'])(
  'whoever follows a link again and again waits for nobody, and nobody for them: stopped as %s',
  async (stop_reason) => {
    const sending_state = stop_reason ? 'stopped' : 'active'
    const leads = api.ctx.database.peek.updateTable('leads')
    await leads.set({ sending_state, stop_reason }).where('id', '=', mail.leadId).execute()
    const visits = async () => {
      const urls = [links.open(mail), links.click(mail, target)]
      const answers = await Promise.all(urls.map((url) => visit(url)))
      answers.push(await visit(links.unsubscribe(mail, mail.email), oneClick))
      return answers.map(({ status }) => status)
    }
    const before = await visits()
    const held = transaction(inWorkspace(api.ctx, api.workspaceId), async (tx) => {
      await lockSuppressions(tx, api.workspaceId)
      await sql`select from leads where workspace_id = ${api.workspaceId} and id = ${mail.leadId} for update`.execute(
        tx.db,
      )
      return await visits()
    })
    expect(await held).toEqual(before)
    expect(await eventsOf(mail)).toHaveLength(3)
  },
)

describe('unsubscribing', () => {
  const suppressionOf = async (email = mail.email) =>
    (await findSuppressed(api.ctx.db, api.workspaceId, [email])).get(email)
  const url = () => links.unsubscribe(mail, mail.email)

  test('takes more than looking: a scanner that fetches every link changes nothing', async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await visit(url(), { method })
      expect(answer.status).toBe(200)
      const html = await answer.text()
      if (method === 'GET') expect(html).toMatch(/<form method="post"><button [^>]*>Unsubscribe</)
    }
    expect(await suppressionOf()).toBeUndefined()
    expect((await lead()).sending_state).toBe('pending')
  })

  test('is one click: the address is suppressed and its leads stop, in every campaign', async () => {
    const other = await createSentMail(api, { email: mail.email })
    const answer = await visit(url(), oneClick)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toBeNull()
    expect(await answer.text()).toContain('You are unsubscribed')
    expect(await suppressionOf()).toBe('unsubscribed')
    for (const id of [mail.leadId, other.leadId]) {
      expect(await lead(id)).toMatchObject({
        status: 'unsubscribed',
        sending_state: 'stopped',
        stop_reason: 'unsubscribed',
      })
    }
    expect((await eventsOf(mail)).map(({ type }) => type)).toEqual([
      'lead.unsubscribed',
      'lead.unsubscribed',
    ])
  })

  test('again is the same answer and no second event, also at the same moment', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => visit(url(), oneClick)))
    answers.push(await visit(url(), oneClick))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(await eventsOf(mail)).toHaveLength(1)
  })

  test.each<[string, RequestInit]>([
    ['of a form', oneClick],
    ['in parts', { method: 'POST', body: formWithOneClick() }],
    ['of nothing', { method: 'POST' }],
    ['of JSON', { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } }],
    ['of noise', { method: 'POST', body: '\0'.repeat(10_000) }],
    ['with an idempotency key', { ...oneClick, headers: { 'idempotency-key': 'a' } }],
  ])('works with a body %s', async (_what, request) => {
    expect((await visit(url(), request)).status).toBe(200)
    expect(await suppressionOf()).toBe('unsubscribed')
  })

  test('holds when the lead is gone: its address is never written to again', async () => {
    await sql`delete from leads where id = ${mail.leadId}`.execute(api.ctx.database.peek)
    expect((await visit(url())).status).toBe(200)
    expect((await visit(url(), oneClick)).status).toBe(200)
    expect(await suppressionOf()).toBe('unsubscribed')
    expect((await visit(url(), oneClick)).status).toBe(200)
  })

  test.each(['one workspace', 'the installation'])(
    'tells nothing new of a person who was erased from %s',
    async (where) => {
      const { ctx, workspaceId } = api
      const { peek } = ctx.database
      if (where === 'the installation') await eraseLead(ctx, mail.email)
      else {
        await startErasure(ctx, workspaceId, mail.leadId, operator)
        await runErasures(ctx)
      }
      expect((await visit(url(), oneClick)).status).toBe(200)
      expect(await tablesWith(peek, mail.email)).toEqual([])
      expect(await suppressionOf()).toBe('unsubscribed')
    },
  )

  test('stops the other leads of an address whose own lead is gone', async () => {
    const other = await createSentMail(api, { email: mail.email })
    await sql`delete from leads where id = ${mail.leadId}`.execute(api.ctx.database.peek)
    await visit(url(), oneClick)
    expect((await lead(other.leadId)).stop_reason).toBe('unsubscribed')
  })

  test('holds when the lead is deleted after it was found', async () => {
    let answer: Promise<Response> | undefined
    await api.ctx.database.peek.transaction().execute(async (trx) => {
      await sql`lock table campaigns in access exclusive mode`.execute(trx)
      answer = visit(url(), oneClick)
      await api.ctx.database.untilWaiting(1, 'campaigns')
      await sql`delete from leads where id = ${mail.leadId}`.execute(trx)
    })
    expect((await answer)?.status).toBe(200)
    expect(await suppressionOf()).toBe('unsubscribed')
  })

  test('is refused with a page when the body is no such thing at all', async () => {
    const answer = await visit(url(), { method: 'POST', body: 'x'.repeat(20_000) })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await suppressionOf()).toBeUndefined()
  })
})

describe('the page', () => {
  test.each(['GET', 'POST'])('of %s is safe, for everybody, and of one piece', async (method) => {
    const answer = await visit(links.unsubscribe(mail, mail.email), { method })
    const html = await answer.text()
    const style = /<style>([^<]*)<\/style>/.exec(html)?.[1] ?? ''
    const hash = await crypto.subtle.digest('SHA-256', Buffer.from(style))
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'sha256-${Buffer.from(hash).toString('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
    })
    expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
    expect(html).toMatch(/<meta name="viewport" content="width=device-width, initial-scale=1">/)
    expect(html).toMatch(/<title>[^<]+<\/title>/)
    expect(html.match(/<h1>/g)).toHaveLength(1)
    expect(style).toContain('color-scheme:light dark')
    expect(html).not.toMatch(/<script|\bsrc=|<link|url\(|style=|https?:/)
  })

  test('speaks the language of its visitor', async () => {
    const headers = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.5' }
    const page = await visit(links.unsubscribe(mail, mail.email), { headers })
    // Else a cache would show it to others.
    expect(page.headers.get('vary')).toBe('accept-language')
    const html = await page.text()
    expect(html).toMatch(/^<!doctype html>\n<html lang="de">/)
    expect(html).toContain('>Abmelden</button>')
  })

  test('shows who it is about, but not the whole address', async () => {
    const html = await (await visit(links.unsubscribe(mail, 'ann&<b>@example.com'))).text()
    expect(html).toContain('<strong>a…@example.com</strong>')
  })
})

describe('what is no link of ours', () => {
  const made = () => links.click(mail, target)
  test.each<[string, () => string]>([
    ['with another letter', () => made().replace(/.{5}$/, (end) => end.toUpperCase() + end)],
    ['cut off', () => made().slice(0, -3)],
    ['of another kind', () => made().replace('/c/', '/u/')],
    ['of another kind, as an image', () => made().replace('/c/', '/o/')],
    ['of another kind, as a click', () => links.open(mail).replace('/o/', '/c/')],
    ['with an address beside it', () => `${origin}/c/x?url=https://example.com`],
    ['with an address in it', () => `${origin}/c/${encodeURIComponent('https://example.com')}`],
    ['of another secret', () => `${origin}/c/${Buffer.alloc(100, 7).toString('base64url')}`],
    ['endless', () => `${origin}/u/${'A'.repeat(3900)}`],
  ])('%s leads nowhere', async (_what, url) => {
    for (const method of ['GET', 'HEAD', ...(url().includes('/u/') ? ['POST'] : [])]) {
      const answer = await visit(url(), { method })
      expect(answer.status).toBe(404)
      expect(answer.headers.get('location')).toBeNull()
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    }
  })

  test('a link that was signed and leads to no page is none', async () => {
    const [token] = links.click(mail, 'javascript:alert(1)').split('/').slice(-1)
    const answer = await visit(`${origin}/c/${token}`)
    expect(answer.status).toBe(404)
  })
})

test('the paths are not in the document, and a wrong method is told as everywhere', async () => {
  const { paths } = (await api.call('GET', '/openapi.json', { key: null })).body
  expect(Object.keys(paths).filter((path) => /^\/[ouc]\//.test(path))).toEqual([])
  const answer = await visit(links.open(mail), { method: 'PUT' })
  expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
    404,
    'unknown_path',
  ])
})

function formWithOneClick(): FormData {
  const form = new FormData()
  form.set('List-Unsubscribe', 'One-Click')
  return form
}
