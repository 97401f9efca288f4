import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { patience } from '../../../test/patience.ts'
import { createSignal } from '../../../test/signal.ts'
import { choosePort } from '../postgres/port.ts'
import { createRateLimit, examineRedis, type RateLimit } from './rate-limit.ts'

const hasRedis = spawnSync('redis-server', ['--version']).status === 0
const lines: Record<string, unknown>[] = []
const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) })

const limit = async (redisUrl?: string): Promise<RateLimit> => {
  const created = await createRateLimit(redisUrl, log)
  onTestFinished(() => created.close())
  return created
}

test('requests beyond the limit of the window are refused, with the time to wait', async () => {
  const rate = await limit()
  expect(await rate.consume('w', 2)).toMatchObject({ 'ratelimit-policy': '"default";q=2;w=10' })
  expect((await rate.consume('w', 2)).ratelimit).toMatch(/r=0;t=\d+/)
  await expect(rate.consume('w', 2)).rejects.toMatchObject({
    code: 'rate_limited',
    headers: { 'retry-after': expect.stringMatching(/^([1-9]|10)$/) },
  })
  await expect(rate.consume('other', 2)).resolves.toBeDefined()
})

test('0 is no limit', async () => {
  const rate = await limit()
  for (let i = 0; i < 100; i++) expect(await rate.consume('w', 0)).toEqual({})
})

test('what is taken back after its window is none of the next', async () => {
  const rate = await limit()
  await rate.uncount('sign-in')
  expect(await rate.count('sign-in', 3600)).toMatchObject({ tries: 1, secondsLeft: 3600 })
})

test('a Redis that is away lets each process count for itself', async () => {
  const rate = await limit('redis://127.0.0.1:1')
  await rate.consume('w', 1)
  await expect(rate.consume('w', 1)).rejects.toMatchObject({ code: 'rate_limited' })
})

test('a Redis that is away is told of once, with its address and the cause, and without the password', async () => {
  const refusing = createServer((socket) => socket.destroy())
  const tries = createSignal()
  let connections = 0
  refusing.on('connection', () => {
    connections += 1
    tries.raise()
  })
  refusing.listen(0, '127.0.0.1')
  await once(refusing, 'listening')
  const host = `127.0.0.1:${(refusing.address() as AddressInfo).port}`
  await limit(`redis://:hidden@${host}`)
  await tries.until(() => connections > 3)
  refusing.close()
  const told = lines.filter((line) => line.host === host)
  expect(told).toMatchObject([{ level: 40, msg: expect.stringContaining('Redis is gone') }])
  await limit('redis://127.0.0.1:1')
  await expect
    .poll(() => lines.filter((line) => line.host === '127.0.0.1:1'), patience)
    .toMatchObject([{ cause: 'ECONNREFUSED' }])
  expect(JSON.stringify(lines)).not.toContain('hidden')
})

test.runIf(hasRedis)('the doctor finds a Redis that answers, and why one does not', async () => {
  const { url, redis } = await startRedis()
  expect(await examineRedis(url)).toMatchObject({ trouble: undefined })
  expect(await examineRedis('redis://127.0.0.1:1')).toEqual({
    ...{ host: '127.0.0.1:1', trouble: 'ECONNREFUSED' },
  })
  redis.kill('SIGSTOP')
  expect((await examineRedis(url)).trouble).toBeDefined()
})

test.runIf(hasRedis)('two processes on one Redis share a window', async () => {
  const { url } = await startRedis()
  const [a, b] = [await limit(url), await limit(url)]
  await expect.poll(() => countsTogether(a, b), patience).toBe(true)
})

test.runIf(hasRedis)(
  'a Redis that falls silent keeps no request waiting, and is shared again once it speaks',
  async () => {
    const { url, redis } = await startRedis()
    const [a, b] = [await limit(url), await limit(url)]
    await expect.poll(() => countsTogether(a, b), patience).toBe(true)
    redis.kill('SIGSTOP')
    await a.consume('w', 1)
    await expect(a.consume('w', 1)).rejects.toMatchObject({ code: 'rate_limited' })
    expect(await a.count('sign-in', 60)).toMatchObject({ tries: 1 })
    redis.kill('SIGCONT')
    await expect.poll(() => countsTogether(a, b), patience).toBe(true)
  },
)

let windows = 0
/** Until both are connected each counts for itself. */
async function countsTogether(a: RateLimit, b: RateLimit): Promise<boolean> {
  const key = `w${windows++}`
  await a.consume(key, 1)
  return b.consume(key, 1).then(
    () => false,
    () => true,
  )
}

async function startRedis() {
  const port = await choosePort()
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const redis = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(async () => {
    redis.kill('SIGKILL')
    await once(redis, 'close')
  })
  for await (const chunk of redis.stdout) {
    if (String(chunk).includes('Ready to accept connections')) break
  }
  return { url: `redis://127.0.0.1:${port}`, redis }
}
