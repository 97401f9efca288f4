// Also runs on PostgreSQL 15: locks.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type TestContext, testContext } from '../../../test/context.ts'
import { canHide, runWithoutEntry } from '../../../test/hidden-process.ts'
import type { ProcessContext } from '../context.ts'
import { bucketCount, Leases } from './leases.ts'
import { markProcess, type ProcessMark } from './process-mark.ts'

let ctx: TestContext
beforeAll(async () => {
  ctx = await testContext({ leaseMs: 30_000 })
})
afterAll(() => ctx[Symbol.asyncDispose]())
beforeEach(async () => {
  const { peek } = ctx.database
  await peek.updateTable('bucket_leases').set({ runner_id: null, leased_until: null }).execute()
  await peek.deleteFrom('runners').execute()
})

interface Runner {
  leases: Leases
  taken: number[]
  abandoned: number[]
  lost: number[]
  /** Moves this runner's monotonic clock. */
  elapse: (ms: number) => void
}

function startRunner(processMark?: ProcessMark): Runner {
  let elapsedMs = 0
  const own: ProcessContext = { ...ctx, monotonicMs: () => elapsedMs, processMark }
  const runner = { taken: [] as number[], abandoned: [] as number[], lost: [] as number[] }
  const leases = new Leases(own, 'deliveries', {
    taken: (buckets, abandoned) => {
      runner.taken.push(...buckets)
      runner.abandoned.push(...abandoned)
    },
    lost: (buckets) => runner.lost.push(...buckets),
    drained: async () => undefined,
  })
  return {
    ...runner,
    leases,
    elapse: (ms) => {
      elapsedMs += ms
    },
  }
}

const expireAll = () =>
  ctx.database.peek
    .updateTable('bucket_leases')
    .set({ leased_until: new Date(0) })
    .execute()

test('one runner takes every bucket, once', async () => {
  const runner = startRunner()
  await runner.leases.beat()
  await runner.leases.beat()
  expect(runner.taken).toEqual(Array.from({ length: bucketCount }, (_, bucket) => bucket))
  expect(runner.leases.holds(7)).toBe(true)
})

test('a second runner gets its half, and no bucket has two owners', async () => {
  const [a, b] = [startRunner(), startRunner()]
  await a.leases.beat()
  await b.leases.beat()
  expect(b.taken).toEqual([])
  await a.leases.beat()
  expect(a.leases.buckets()).toHaveLength(bucketCount / 2)
  // The other half is handed over in the background.
  await ctx.database.until(async () => {
    const leases = ctx.database.peek.selectFrom('bucket_leases').where('kind', '=', 'deliveries')
    const free = await leases.where('runner_id', 'is', null).select('bucket').execute()
    return free.length === bucketCount / 2
  })
  await b.leases.beat()
  expect(b.leases.buckets()).toHaveLength(bucketCount / 2)
  const shared = a.leases.buckets().filter((bucket) => b.leases.holds(bucket))
  expect(shared).toEqual([])
  expect(b.abandoned).toEqual([])
})

test('runners that start at the same instant share without overlap', async () => {
  const runners = [startRunner(), startRunner(), startRunner()]
  await Promise.all(runners.map((runner) => runner.leases.beat()))
  const all = runners.flatMap((runner) => runner.leases.buckets())
  expect(new Set(all).size).toBe(all.length)
})

test('a runner trusts a lease only until its end less a margin, counted from before the renewal', async () => {
  const runner = startRunner()
  await runner.leases.beat()
  runner.elapse(24_999)
  expect(runner.leases.holds(0)).toBe(true)
  runner.elapse(1)
  expect(runner.leases.holds(0)).toBe(false)
})

test('a lease that expired but was not taken is renewed, and trusted again', async () => {
  const runner = startRunner()
  await runner.leases.beat()
  runner.elapse(60_000)
  await expireAll()
  await runner.leases.beat()
  expect(runner.leases.holds(0)).toBe(true)
  expect(runner.lost).toEqual([])
})

test('an expired lease goes to another runner as abandoned, and its old owner learns it', async () => {
  const [a, b] = [startRunner(), startRunner()]
  await a.leases.beat()
  await expireAll()
  await b.leases.beat()
  expect(b.abandoned.length).toBeGreaterThan(0)
  await a.leases.beat()
  expect(a.lost).toEqual(expect.arrayContaining(b.taken))
  expect(b.taken.some((bucket) => a.leases.holds(bucket))).toBe(false)
})

test('a clean stop frees everything at once, and nothing counts as abandoned', async () => {
  const [a, b] = [startRunner(), startRunner()]
  await a.leases.beat()
  await a.leases.release()
  await b.leases.beat()
  expect(b.taken).toHaveLength(bucketCount)
  expect(b.abandoned).toEqual([])
})

test('a runner that stops gives back no lease that is another one’s under the same token', async () => {
  const runner = startRunner()
  await runner.leases.beat()
  // As a standby that lagged has it.
  const { peek } = ctx.database
  const runner_id = ctx.newId()
  await peek.updateTable('bucket_leases').set({ runner_id }).execute()
  await runner.leases.release()
  const freed = peek.selectFrom('bucket_leases').where('runner_id', 'is', null).select('bucket')
  expect(await freed.execute()).toEqual([])
})

test('whoever took a lease before a failover to a standby that lagged has no token of the next owner', async () => {
  const [a, b] = [startRunner(), startRunner()]
  const { peek } = ctx.database
  const before = await peek.selectFrom('bucket_leases').selectAll().execute()
  await a.leases.beat()
  await peek.deleteFrom('bucket_leases').execute()
  await peek.insertInto('bucket_leases').values(before).execute()
  await b.leases.beat()
  expect(b.taken.length).toBeGreaterThan(0)
  expect(b.taken.filter((bucket) => a.leases.token(bucket) === b.leases.token(bucket))).toEqual([])
})

test('the next owner of a DATA_DIR takes the leases of a killed one at once', async () => {
  const killed = startRunner(markProcess({ ownsDataDir: true }))
  await killed.leases.beat()
  const next = startRunner(markProcess({ ownsDataDir: true }))
  await next.leases.beat()
  expect(next.abandoned).toHaveLength(bucketCount)
})

test.runIf(process.platform === 'linux')(
  'a process of this machine that is gone loses its leases at once',
  async () => {
    const own = markProcess({ ownsDataDir: false })
    const { pid } = spawnSync('true')
    const text = own?.text.replace(/ \d+ (\d+)$/, ` ${pid} $1`) ?? ''
    const killed = startRunner({ text, isGone: () => false })
    await killed.leases.beat()
    const next = startRunner(own)
    await next.leases.beat()
    expect(next.abandoned).toHaveLength(bucketCount)
  },
)

test.runIf(process.platform === 'linux')(
  'another process of this machine keeps its leases while it is alive, and loses them with its end',
  async () => {
    const module = new URL('./process-mark.ts', import.meta.url)
    const program = `import { markProcess } from '${module}'
      process.stdout.write(markProcess({ ownsDataDir: false }).text)
      process.stdin.resume()`
    const other = spawn(process.execPath, ['--input-type=module', '-e', program])
    const [text] = await once(other.stdout, 'data')
    const owner = startRunner({ text: String(text), isGone: () => false })
    await owner.leases.beat()
    const next = startRunner(markProcess({ ownsDataDir: false }))
    await next.leases.beat()
    expect(next.taken).toEqual([])
    other.stdin.end()
    await once(other, 'exit')
    await next.leases.beat()
    expect(next.abandoned).toHaveLength(bucketCount)
  },
)

test.runIf(canHide)(
  'a process that /proc hides is not taken for one that is gone, and one that has ended is',
  async () => {
    const other = spawn('sleep', ['60'])
    const gone = spawnSync('true').pid
    const program = `import { markProcess } from '${new URL('./process-mark.ts', import.meta.url)}'
      const mark = markProcess({ ownsDataDir: false })
      const of = (pid) => mark.text.replace(/ \\d+ (\\d+)$/, \` \${pid} $1\`)
      process.stdout.write(JSON.stringify(process.argv.slice(1).map((pid) => mark.isGone(of(pid)))))`
    const { stdout, stderr } = runWithoutEntry(other.pid, program, `${other.pid}`, `${gone}`)
    other.kill()
    expect(stdout, stderr).toBe('[false,true]')
  },
)

test('who may be alive keeps its leases until they end', async () => {
  const alive = markProcess({ ownsDataDir: false })
  const elsewhere: (ProcessMark | undefined)[] = [
    alive,
    // Of another machine or container, of a DATA_DIR that is not ours, of an older version.
    { text: 'another-boot pid:[1] 1 1', isGone: () => false },
    markProcess({ ownsDataDir: true }),
    undefined,
  ]
  for (const mark of elsewhere) {
    const owner = startRunner(mark)
    await owner.leases.beat()
    const next = startRunner(markProcess({ ownsDataDir: false }))
    await next.leases.beat()
    expect(next.taken).toEqual([])
    await owner.leases.release()
    await next.leases.release()
  }
})
