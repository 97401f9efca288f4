import { request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { operator } from '../../server/src/features/audit/index.ts'
import { addMember } from '../../server/src/features/members/index.ts'
import { createUser, hashPassword } from '../../server/src/features/users/index.ts'
import type { Figure } from '../figure.ts'
import { readPostgresTime, readTime } from '../processor-time.ts'
import { type ApplicationBench, password, signIn } from './application-bench.ts'

const pages = 200
/** A person may have 50. */
const people = 5
/** Each stream is asked once a minute whether who opened it may still read. */
const measuredMs = 60_000
const shareMax = 0.05

/**
 * What 200 open pages cost while nothing happens. Each is the stream that a page holds: so many tabs
 * take more memory than the machine has, and those of one browser would share one stream.
 */
export async function measureIdlePages(bench: ApplicationBench): Promise<Figure[]> {
  const { api } = bench
  await wait(10_000)
  const before = await measureUse(bench)
  const cookies = await createPeople(bench)
  const streams = await Promise.all(
    Array.from({ length: pages }, (_, at) => openStream(bench, cookies[at % people] ?? '')),
  )
  await wait(10_000)
  const after = await measureUse(bench)
  const told = streams.filter(({ isOpen }) => isOpen()).length
  if (told < pages) throw new Error(`Only ${told} of ${pages} streams were open at ${api.address}.`)
  for (const { close } of streams) close()
  return (['API', 'PostgreSQL', 'both'] as const).map((name) => ({
    name: `${name} with ${pages} open pages while nothing happens`,
    value: after[name] * 100,
    unit: '% of a core',
    limit: { name: 'without a page', value: before[name] * 100 },
    target: name === 'both' ? '< 5 %' : '–',
    met: name !== 'both' || after[name] < shareMax,
  }))
}

/** Shares of one core. PostgreSQL works for the runner as well. */
async function measureUse({ service, api }: ApplicationBench) {
  const read = () => Promise.all([readTime(api.pid), readPostgresTime(service)])
  const startedMs = performance.now()
  const [api0, postgres0] = await read()
  await wait(measuredMs)
  const [api1, postgres1] = await read()
  const us = (performance.now() - startedMs) * 1000
  const [API, PostgreSQL] = [(api1 - api0) / us, (postgres1 - postgres0) / us]
  return { API, PostgreSQL, both: API + PostgreSQL }
}

async function createPeople({
  service: { ctx, workspaceId },
  api,
}: ApplicationBench): Promise<string[]> {
  const passwordHash = await hashPassword(ctx, password)
  const cookies: string[] = []
  for (let n = 0; n < people; n++) {
    const email = `person${n}@bench.example`
    const userId = await createUser(ctx, { name: 'Bench', email, passwordHash, isOperator: false })
    await addMember(ctx, { workspaceId, userId, role: 'viewer' }, operator)
    cookies.push(await signIn(api.address, email))
  }
  return cookies
}

async function openStream({ service, api }: ApplicationBench, cookie: string) {
  const asked = request(`${api.address}/app/live?workspace=${service.workspaceId}`, {
    headers: { cookie, accept: 'text/event-stream' },
    agent: false,
  })
  let isOpen = true
  await new Promise<void>((resolve, reject) => {
    asked.on('error', reject)
    asked.on('response', (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`answered ${answer.statusCode}`))
      answer.on('close', () => {
        isOpen = false
      })
      // What is told first: everything is to be read.
      answer.on('data', () => resolve())
    })
    asked.end()
  })
  return { isOpen: () => isOpen, close: () => asked.destroy() }
}
