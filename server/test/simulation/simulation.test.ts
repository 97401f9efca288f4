import { afterAll, beforeAll, expect, test } from 'vitest'
import { firstSeed, isTried, share } from '../thoroughness.ts'
import {
  openSimulationDatabase,
  type SimulationServer,
  startSimulationServer,
} from './engine/database.ts'
import { report } from './engine/report.ts'
import { simulate } from './engine/simulate.ts'
import { scenarios } from './scenarios.ts'

const timeout = 600_000

const cases = scenarios.map((scenario) => {
  const { tested, remembered } = scenario.seeds
  const count = share(tested)
  const first = firstSeed(count)
  const again = remembered.filter((_, at) => isTried(at))
  const seeds = [...again, ...Array.from({ length: count }, (_, at) => first + at)]
  return { name: scenario.name, scenario, seeds, first, last: first + count - 1 }
})

let server: SimulationServer
beforeAll(async () => {
  server = await startSimulationServer()
})
afterAll(() => server[Symbol.asyncDispose]())

test.each(cases)(
  '$name: every promise is kept in simulated histories, of seeds $first to $last',
  { timeout },
  async ({ scenario, seeds }) => {
    await using database = await openSimulationDatabase(scenario, { server })
    const broken: string[] = []
    for (const seed of seeds) {
      const verdict = await simulate(database, scenario, seed)
      if (verdict.violations.length > 0) broken.push(report(scenario, verdict))
    }
    expect(broken).toEqual([])
  },
)
