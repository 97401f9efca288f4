import { type IncomingMessage, request } from 'node:http'
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { type Browser, setUp } from '../../../test/browser.ts'
import { freeHandle } from '../../../test/database.ts'
import { patience } from '../../../test/patience.ts'
import { createMember } from '../../../test/people.ts'
import { createSignal } from '../../../test/signal.ts'
import { buildApi } from '../../app.ts'
import { connect } from '../../kernel/db/db.ts'
import { listen } from '../../kernel/db/listen.ts'
import { operator, recordAudit } from '../audit/index.ts'
import { takeMessages } from './message.ts'
import { liveChannel, tellPages } from './tell-pages.ts'

let api: TestApi
let address: string
let owner: Browser
beforeAll(async () => {
  api = await testApi()
  owner = await setUp(api)
  address = await api.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => api[Symbol.asyncDispose]())

const cookieOf = ({ cookies }: Browser) => [...cookies].map((pair) => pair.join('=')).join('; ')

/** A page that follows a workspace by a real connection. */
async function openPage(browser: Browser, workspaceId = api.workspaceId, at = address) {
  const { raise, until } = createSignal()
  const told: string[][] = []
  let isOver = false
  const asked = request(`${at}/app/live?workspace=${workspaceId}`, {
    headers: { cookie: cookieOf(browser), accept: 'text/event-stream' },
  })
  const { statusCode: status, headers } = await new Promise<IncomingMessage>((resolve, reject) => {
    asked.on('error', reject)
    asked.on('response', (answer) => {
      answer.setEncoding('utf8').on('data', (text: string) => {
        for (const [, json = ''] of text.matchAll(/^data: (.*)$/gm))
          told.push(JSON.parse(json).topics)
        raise()
      })
      answer.on('close', () => {
        isOver = true
        raise()
      })
      resolve(answer)
    })
    asked.end()
  })
  return {
    ...{ status, told, retryAfterS: Number(headers['retry-after']) },
    hears: (topic: string) =>
      until(async () => told.some((topics) => topics.includes(topic)) || undefined),
    ends: () => until(async () => isOver || undefined),
    close: () => asked.destroy(),
  }
}

const change = (ctx: TestApi['ctx'] | Parameters<typeof recordAudit>[0], subjectType: string) =>
  recordAudit(ctx, {
    ...{ workspaceId: api.workspaceId, ...operator, action: 'label.updated' },
    ...{ subjectType, subjectId: null },
  })

test('a page is told of everything first, and then of a change that another process makes', async () => {
  const page = await openPage(owner)
  expect(page.status).toBe(200)
  await page.hears('*')
  const other = connect(api.ctx.database.url, 2)
  await change({ ...api.ctx, db: freeHandle(other.db) }, 'label')
  await page.hears('labels')
  await other.db.destroy()
  // What was set up before the page was opened may still be on its way.
  const own = page.told.filter((topics) => !topics.includes('members'))
  expect(own).toEqual([['*'], ['audit', 'labels']])
  expect(page.told[0]).toEqual(['*'])
  page.close()
})

test('a change is told once the database answers again', async () => {
  const page = await openPage(owner)
  await page.hears('*')
  let failures = 0
  const failsTwice: KyselyPlugin = {
    transformQuery({ node }) {
      failures += 1
      if (failures <= 2) throw new Error('the connection was lost')
      return node
    },
    transformResult: async ({ result }) => result,
  }
  const db = api.ctx.db.withPlugin(failsTwice) as typeof api.ctx.db
  tellPages({ ...api.ctx, db }, api.workspaceId, ['labels'])
  await page.hears('labels')
  page.close()
})

test('a process that has closed its database does not wait to tell of a change', async () => {
  const closed = connect(api.ctx.database.url, 1)
  // One that was never used has nothing to close.
  await sql`select 1`.execute(closed.db)
  await closed.db.destroy()
  const ended = Promise.withResolvers<void>()
  let pauses = 0
  const own = {
    ...{ ...api.ctx, db: freeHandle(closed.db) },
    log: { ...api.ctx.log, debug: () => ended.resolve() },
    sleep: async () => {
      pauses += 1
    },
  }
  tellPages(own as typeof api.ctx, api.workspaceId, ['labels'])
  await ended.promise
  expect(pauses).toBe(0)
})

test('an open conversation is told of what its mailbox and its address allow by now', async () => {
  for (const subject of ['mailbox', 'suppression']) {
    const page = await openPage(owner)
    await page.hears('*')
    await change(api.ctx, subject)
    await page.hears('inbox')
    page.close()
  }
})

test('what is rolled back, and what happens in other workspaces, is not told', async () => {
  const page = await openPage(owner)
  await page.hears('*')
  const { workspaceId } = await api.createStranger()
  tellPages(api.ctx, workspaceId, ['campaigns'])
  await api.ctx.db
    .transaction()
    .execute(async (db) => {
      tellPages({ ...api.ctx, db, afterCommit: () => undefined }, api.workspaceId, ['leads'])
      throw new Error('rolled back')
    })
    .catch(() => undefined)
  await change(api.ctx, 'key')
  await page.hears('keys')
  expect(page.told.flat()).not.toContain('campaigns')
  expect(page.told.flat()).not.toContain('leads')
  page.close()
})

test('ten thousand changes in 400 workspaces are a few messages', async () => {
  const messages: string[] = []
  const { raise, until } = createSignal()
  const stop = await listen(
    api.ctx.database.url,
    liveChannel,
    (message) => {
      messages.push(message)
      raise()
    },
    api.ctx.log,
  )
  const workspaces = Array.from({ length: 400 }, () => api.ctx.newId())
  for (let n = 0; n < 25; n++) {
    for (const id of workspaces) tellPages(api.ctx, id, ['campaigns', 'leads', 'deliveries'])
  }
  const heard = () => new Set(messages.join(';').match(/[\da-f-]{36}/g))
  await until(async () => heard().size === 400 || undefined)
  await stop()
  expect(messages.length).toBeLessThanOrEqual(5)
})

test('a message fits into a notification, and what is left over goes with the next', () => {
  const all = Array.from({ length: 13 }, (_, index) => `a-rather-long-topic-${index}`)
  const told = new Map(
    Array.from({ length: 150 }, (_, n) => [`${n}`.padStart(36, '0'), new Set(all)]),
  )
  const messages = takeMessages(told, 2)
  for (const message of messages) expect(message.length).toBeLessThan(8000)
  expect(messages).toHaveLength(2)
  const taken = messages.join(';').split(';').length
  expect(told.size).toBe(150 - taken)
})

test('whoever is taken out of the workspace is told nothing more', async () => {
  const member = await createMember(api, 'leaving@team.example', 'viewer')
  const page = await openPage(member.browser)
  await page.hears('*')
  const headers = { 'x-workspace-id': api.workspaceId }
  const { status } = await owner.call('DELETE', `/app/members/${member.id}`, { headers })
  expect(status).toBeLessThan(300)
  await page.ends()
  expect((await openPage(member.browser)).status).toBe(403)
})

test('a person has fifty streams and no more, however fast they come, and each that ends makes room', async () => {
  const person = await createMember(api, 'many@team.example', 'viewer')
  // It does not listen yet: all of them wait for that.
  const app = await buildApi(api.ctx, {
    listen: ({ message }) => listen(api.ctx.database.url, liveChannel, message, api.ctx.log),
  })
  const at = await app.listen({ host: '127.0.0.1', port: 0 })
  const pages = await Promise.all(
    Array.from({ length: 60 }, () => openPage(person.browser, api.workspaceId, at)),
  )
  const [open, refused] = [200, 429].map((status) => pages.filter((page) => page.status === status))
  expect([open?.length, refused?.length]).toEqual([50, 10])
  for (const { retryAfterS } of refused ?? []) {
    expect(retryAfterS).toBeGreaterThanOrEqual(30)
    expect(retryAfterS).toBeLessThanOrEqual(60)
  }
  expect(new Set(refused?.map(({ retryAfterS }) => retryAfterS)).size).toBeGreaterThan(1)
  open?.[0]?.close()
  await expect
    .poll(async () => {
      const page = await openPage(person.browser, api.workspaceId, at)
      page.close()
      return page.status
    }, patience)
    .toBe(200)
  await app.close()
})

test('a session that ended ends its stream within a minute', async () => {
  // A minute passes in no time.
  const paced = {
    ...api.ctx,
    async sleep(ms: number, signal?: AbortSignal) {
      if (ms < 10_000) return api.ctx.sleep(ms, signal)
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
  const app = await buildApi(paced, {
    listen: ({ message }) => listen(api.ctx.database.url, liveChannel, message, api.ctx.log),
  })
  const at = await app.listen({ host: '127.0.0.1', port: 0 })
  const person = await createMember(api, 'out@team.example', 'viewer')
  const page = await openPage(person.browser, api.workspaceId, at)
  await page.hears('*')
  await sql`delete from user_sessions where user_id = ${person.id}`.execute(api.ctx.database.peek)
  await page.ends()
  await app.close()
})

test('nobody follows without a session, or a workspace that is not theirs', async () => {
  const { workspaceId } = await api.createStranger()
  const nobody = { cookies: new Map() } as Browser
  expect((await openPage(nobody)).status).toBe(401)
  expect((await openPage(owner, workspaceId)).status).toBe(403)
})

test('where nothing can be heard of other processes, a page is sent away to ask by itself', async () => {
  const app = await buildApi(api.ctx)
  const at = await app.listen({ host: '127.0.0.1', port: 0 })
  expect((await openPage(owner, api.workspaceId, at)).status).toBe(204)
  await app.close()
})

test('those that left before their stream began are not counted', async () => {
  const { raise, until } = createSignal()
  let hear = () => {}
  const heard = new Promise<void>((resolve) => {
    hear = resolve
  })
  let open = 0
  const app = await buildApi(api.ctx, {
    async listen({ message }) {
      await heard
      return listen(api.ctx.database.url, liveChannel, message, api.ctx.log)
    },
  })
  let asking = 0
  app.server.on('request', () => {
    asking += 1
    raise()
  })
  app.server.on('connection', (socket) => {
    open += 1
    socket.on('close', () => {
      open -= 1
      raise()
    })
  })
  const at = await app.listen({ host: '127.0.0.1', port: 0 })
  const left = Array.from({ length: 50 }, () => {
    const headers = { cookie: cookieOf(owner) }
    const asked = request(`${at}/app/live?workspace=${api.workspaceId}`, { headers, agent: false })
    asked.on('error', () => undefined)
    return asked.end()
  })
  await until(async () => asking === left.length || undefined)
  for (const asked of left) asked.destroy()
  await until(async () => open === 0 || undefined)
  hear()
  // The second is counted after all that left have been told that something can be heard.
  for (let n = 0; n < 2; n++) {
    const page = await openPage(owner, api.workspaceId, at)
    expect(page.status).toBe(200)
    page.close()
  }
  await app.close()
})

test('a stop ends the streams of pages and does not wait for them', async () => {
  const app = await buildApi(api.ctx, {
    listen: ({ message }) => listen(api.ctx.database.url, liveChannel, message, api.ctx.log),
  })
  const at = await app.listen({ host: '127.0.0.1', port: 0 })
  const page = await openPage(owner, api.workspaceId, at)
  await page.hears('*')
  await app.close()
  await page.ends()
})
