import { afterEach, expect, test } from 'vitest'
import { type Answer, hostile, type Receiver, startReceiver } from '../../../test/receiver.ts'
import { createOutboundHttp, type OutboundHttp } from './index.ts'

const opened: OutboundHttp[] = []
afterEach(() => Promise.all(opened.splice(0).map((http) => http.close())))

function sender(limits: { connectionsMax?: number }) {
  const http = createOutboundHttp({ policy: { mode: 'any', allow: [] }, ...limits })
  opened.push(http)
  return (receiver: Receiver, path = '', timeoutMs = 10_000) =>
    http.post({ use: 'tests', url: `${receiver.url}/${path}`, headers: {}, body: '', timeoutMs })
}

/** Answers only when told, in any order. */
function onDemand() {
  const held: (() => void)[] = []
  const answer: Answer = (_received, response) => {
    held.push(() => response.end())
  }
  return { answer, release: () => held.shift()?.() }
}

test('an origin has no more connections than there may be, and serves all in order', async () => {
  const { answer, release } = onDemand()
  await using receiver = await startReceiver(answer)
  const post = sender({ connectionsMax: 2 })
  const posts = ['a', 'b', 'c', 'd', 'e'].map((path) => post(receiver, path))
  for (let answered = 0; answered < posts.length; answered++) {
    await receiver.waitFor(Math.min(posts.length, answered + 2))
    release()
  }
  const outcomes = await Promise.all(posts)
  expect(outcomes.every(({ kind }) => kind === 'response')).toBe(true)
  expect(receiver.connections).toBe(2)
  const order = receiver.requests.map(({ url }) => url)
  expect(order.slice(0, 2).toSorted()).toEqual(['/a', '/b'])
  expect(order.slice(2)).toEqual(['/c', '/d', '/e'])
})

test('a full total closes the connection that is idle longest', async () => {
  await using a = await startReceiver()
  await using b = await startReceiver()
  await using c = await startReceiver()
  const post = sender({ connectionsMax: 2 })
  for (const receiver of [a, b, c, b, a]) {
    expect(await post(receiver)).toMatchObject({ kind: 'response' })
  }
  expect([a.connections, b.connections, c.connections]).toEqual([2, 1, 1])
})

test('when the total is busy, origins take turns', async () => {
  const gate = onDemand()
  await using busy = await startReceiver(gate.answer)
  await using late = await startReceiver()
  const post = sender({ connectionsMax: 1 })
  const order: string[] = []
  const posts = ['1', '2', '3'].map((path) => post(busy, path).then(() => order.push(path)))
  await busy.waitFor(1)
  posts.push(post(late, 'late').then(() => order.push('late')))
  for (let answered = 0; answered < 3; answered++) {
    await busy.waitFor(answered + 1)
    gate.release()
  }
  await Promise.all(posts)
  expect(order.toSorted()).toEqual(['1', '2', '3', 'late'])
  expect(order.indexOf('late')).toBeLessThan(order.indexOf('3'))
})

test('waiting for a connection counts towards the deadline and sends nothing after it', async () => {
  const gate = onDemand()
  await using receiver = await startReceiver(gate.answer)
  const post = sender({ connectionsMax: 1 })
  const first = post(receiver)
  await receiver.waitFor(1)
  expect(await post(receiver, 'late', 50)).toMatchObject({
    kind: 'unsent',
    reason: 'no connection became free in time',
  })
  gate.release()
  await first
  const last = post(receiver, 'last')
  await receiver.waitFor(2)
  gate.release()
  await last
  expect(receiver.requests.map(({ url }) => url)).toEqual(['/', '/last'])
})

test('each use has connections of its own: none waits for those of another', async () => {
  await using stuck = await startReceiver(hostile.hangBeforeHeaders())
  await using healthy = await startReceiver()
  const http = createOutboundHttp({ policy: { mode: 'any', allow: [] }, connectionsMax: 1 })
  const post = (use: string, { url }: Receiver, timeoutMs: number) =>
    http.post({ use, url, headers: {}, body: '', timeoutMs })
  const hanging = post('tests', stuck, 3_000)
  await stuck.waitFor(1)
  expect(await post('deliveries', healthy, 2_000)).toMatchObject({ kind: 'response' })
  await hanging
  await http.close()
  expect(await post('first used when closed', healthy, 10_000)).toMatchObject({ kind: 'unsent' })
})

test('every dead connection makes room again', async () => {
  await using dead = await startReceiver(hostile.resetBeforeHeaders())
  const post = sender({ connectionsMax: 2 })
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => post(dead)))
  expect(outcomes.filter(({ kind }) => kind === 'failure')).toHaveLength(20)
  await using healthy = await startReceiver()
  expect(await post(healthy)).toMatchObject({ kind: 'response' })
})

test('closing waits for what is under way and refuses what comes later', async () => {
  const gate = onDemand()
  await using receiver = await startReceiver(gate.answer)
  const http = createOutboundHttp({
    policy: { mode: 'any', allow: [] },
    connectionsMax: 1,
  })
  const request = { use: 'tests', url: receiver.url, headers: {}, body: '', timeoutMs: 10_000 }
  const underWay = [http.post(request), http.post(request)]
  await receiver.waitFor(1)
  let isClosed = false
  const closed = http.close().then(() => {
    isClosed = true
  })
  expect(await http.post(request)).toMatchObject({ kind: 'unsent' })
  gate.release()
  await receiver.waitFor(2)
  expect(isClosed).toBe(false)
  gate.release()
  const outcomes = await Promise.all(underWay)
  expect(outcomes.every(({ kind }) => kind === 'response')).toBe(true)
  await closed
})
