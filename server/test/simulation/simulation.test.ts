import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { type Laboratory, openLaboratory } from './laboratory.ts'
import { simulate } from './simulate.ts'

let laboratory: Laboratory
beforeAll(async () => {
  laboratory = await openLaboratory(inject('postgresUrl'))
})
afterAll(() => laboratory[Symbol.asyncDispose]())

const seeds = 100
/** `npm run simulate -- --runs 1000 --twice` compares many more. */
const repeated = 5
const timeout = 600_000

test(`every promise is kept in ${seeds} simulated histories`, { timeout }, async () => {
  const broken: string[] = []
  for (let seed = 1; seed <= seeds; seed++) {
    const { violations } = await simulate(laboratory, seed)
    if (violations.length === 0) continue
    broken.push(`npm run simulate -- --seed ${seed} --trace: ${violations.join('; ')}`)
  }
  expect(broken).toEqual([])
})

test('a seed is the same history again, statement by statement', { timeout }, async () => {
  const runAll = async () => {
    const digests: string[] = []
    for (let seed = 1; seed <= repeated; seed++) {
      digests.push((await simulate(laboratory, seed)).digest)
    }
    return digests
  }
  const digests = await runAll()
  expect(await runAll()).toEqual(digests)
  expect(new Set(digests).size).toBe(repeated)
})
