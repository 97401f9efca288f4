import { expect, test } from 'vitest'
import { testContext } from '../../../test/context.ts'
import { createPoll } from './poll.ts'

const everyMs = 250

/** Looks every quarter of a second for a minute. */
async function pollForAMinute(
  find: (fromMs: number, toMs: number, nowMs: number) => void,
  isHinted = (_look: number) => false,
) {
  await using ctx = await testContext()
  const startMs = 1_800_000_000_000
  let nowMs = 0
  const poll = createPoll(
    { ...ctx, now: () => new Date(startMs + nowMs), monotonicMs: () => nowMs },
    async (_buckets, from, to) => find(from.getTime() - startMs, to.getTime() - startMs, nowMs),
  )
  for (let look = 0; look < 240; look++) {
    await poll([1], isHinted(look))
    nowMs += everyMs
  }
}

test('a transaction that commits up to two seconds after its rows fell due is found a second later, hinted to or not', async () => {
  for (const hintEvery of [0, 1, 3]) {
    const rows: { dueMs: number; committedMs: number; foundMs?: number }[] = []
    for (let dueMs = 5_000; dueMs < 15_000; dueMs += 130) {
      for (let late = 0; late < 2_000; late += 90) rows.push({ dueMs, committedMs: dueMs + late })
    }
    await pollForAMinute(
      (from, to, nowMs) => {
        for (const row of rows) {
          if (row.committedMs > nowMs || row.dueMs <= from || row.dueMs > to) continue
          row.foundMs ??= nowMs
        }
      },
      (look) => hintEvery > 0 && look % hintEvery === 0,
    )
    const waits = rows.map(({ committedMs, foundMs = Number.NaN }) => foundMs - committedMs)
    expect(waits.filter((waitMs) => !(waitMs <= 1_000 + everyMs))).toEqual([])
  }
})

test('what fell due is read by few looks', async () => {
  const dueMs = Array.from({ length: 100 }, (_, at) => 10_000 + at * 57)
  const reads = dueMs.map(() => 0)
  await pollForAMinute((from, to) => {
    for (const [at, due] of dueMs.entries())
      if (due > from && due <= to) reads[at] = (reads[at] ?? 0) + 1
  })
  expect(Math.max(...reads)).toBeLessThanOrEqual(5)
})
