import { expect, test, vi } from 'vitest'
import { buildApi } from '../../src/app.ts'
import { createKeyAsOperator } from '../../src/features/keys/index.ts'
import { ensureDefaultWorkspace } from '../../src/features/workspaces/index.ts'
import { connect } from '../../src/kernel/db/db.ts'
import { apiTimeouts } from '../../src/kernel/db/timeouts.ts'
import { testContext } from '../context.ts'
import { startTcpProxy, type TcpProxy } from '../mail/tcp-proxy.ts'
import { patience } from '../patience.ts'

// Most of their time they wait for the same few seconds: they do it together.
test.concurrent('packets are dropped while sockets stay open: requests are answered within 5 s, and soon well again', async () => {
  await using api = await apiBehindProxy()
  await api.ready()
  api.proxy.freeze()
  // Several, so that connections of the pool and the one that reads keys are all waited for.
  const answers = await Promise.all([api.ask(), api.change(), api.ask(), api.change()])
  for (const answer of answers) {
    expect(answer).toEqual({
      ...{ status: 503, code: 'unavailable', retryAfter: '1', isLate: false },
    })
  }
  // What was made before is frozen for good; connections of the other kind are not waited for again.
  expect((await api.ask()).status).toBe(200)
  expect((await api.change()).status).toBe(201)
})

test.concurrent('a change that waits for a silent database is answered within 5 s', async () => {
  await using api = await apiBehindProxy()
  await api.ready()
  const connection = await api.pool.connect()
  api.proxy.freeze()
  const watch = startWatch()
  await expect(connection.query('select 1')).rejects.toMatchObject({ code: 'ETIMEDOUT' })
  expect(watch.isLate()).toBe(false)
  connection.release()
  expect((await api.pool.query('select 1')).rowCount).toBe(1)
})

test.concurrent('while new connections are swallowed as well every request is answered within 5 s, until the network is back', async () => {
  await using api = await apiBehindProxy()
  await api.ready()
  api.proxy.freezeAll()
  for (let asked = 0; asked < 3; asked++) {
    expect(await api.ask()).toMatchObject({ status: 503, isLate: false })
  }
  api.proxy.heal()
  await api.ready()
})

/** A timer of 5 s: on a machine that stands still for a moment it comes later, like all that it measures. */
function startWatch() {
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
  }, 5000)
  return {
    isLate: () => {
      clearTimeout(timer)
      return isLate
    },
  }
}

async function apiBehindProxy() {
  const ctx = await testContext()
  const workspace = await ensureDefaultWorkspace(ctx)
  const { key } = await createKeyAsOperator(ctx, workspace.id, { name: 'test', scopes: ['all:*'] })
  const url = new URL(ctx.database.url)
  const proxy: TcpProxy = await startTcpProxy(Number(url.port))
  url.port = String(proxy.port)
  const { db, pool } = connect(url.href, 5, apiTimeouts)
  const app = await buildApi({ ...ctx, db })
  const send = async (method: 'GET' | 'POST', payload?: object) => {
    const watch = startWatch()
    const answer = await app.inject({
      ...{ method, url: '/oauth/service-accounts' },
      headers: { authorization: `Bearer ${key}` },
      ...(payload ? { payload } : {}),
    })
    return {
      status: answer.statusCode,
      code: answer.json().code,
      retryAfter: answer.headers['retry-after'],
      isLate: watch.isLate(),
    }
  }
  return {
    ...{ proxy, pool },
    ask: () => send('GET'),
    /** Resolves once a request succeeds. */
    ready: () => vi.waitFor(async () => expect((await send('GET')).status).toBe(200), patience),
    change: () => send('POST', { name: 'made', scopes: ['leads:read'] }),
    async [Symbol.asyncDispose]() {
      await app.close()
      await db.destroy()
      await proxy[Symbol.asyncDispose]()
      await ctx[Symbol.asyncDispose]()
    },
  }
}
