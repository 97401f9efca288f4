import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { captureStatements } from '../../src/kernel/db/client.ts'
import { isTried } from '../thoroughness.ts'
import { caughtBy } from './caught-by.ts'
import {
  openSimulationDatabase,
  type SimulationDatabase,
  type SimulationServer,
  startSimulationServer,
} from './engine/database.ts'
import type { Fault } from './engine/faults.ts'
import { findDifference, record } from './engine/replay.ts'
import { catchFault, type Verdict } from './engine/simulate.ts'
import { scenarios } from './scenarios.ts'

const timeout = 900_000

let server: SimulationServer
beforeAll(async () => {
  server = await startSimulationServer()
})
afterAll(() => server[Symbol.asyncDispose]())

describe.each(scenarios)('$name', (scenario) => {
  let database: SimulationDatabase
  const caught: { fault: Fault; verdict: Verdict }[] = []
  beforeAll(async () => {
    // The statements of a fault break rules: that is what it is for.
    captureStatements(undefined)
    database = await openSimulationDatabase(scenario, { server })
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test.for(scenario.faults.filter((_, at) => isTried(at)))(
    'the simulation catches $name',
    { timeout },
    async (fault, { annotate }) => {
      const remembered = caughtBy[scenario.name]?.[fault.name] ?? []
      const verdict = await catchFault(database, scenario, fault, remembered)
      if (!verdict) expect.fail('no seed catches it')
      const { seed } = verdict
      if (seed !== remembered[0]) {
        const command = `npm run simulate -- ${scenario.name} --find-catching`
        await annotate(
          `seed ${remembered[0]} catches it no more, ${seed} does; "${command}" prints others`,
        )
      }
      caught.push({ fault, verdict })
    },
  )

  test('what is caught is caught again at the same step', { timeout }, async () => {
    const [shortest] = caught.toSorted((one, other) => one.verdict.steps - other.verdict.steps)
    if (!shortest) expect.fail('nothing was caught')
    const { fault, verdict } = shortest
    const again = () => record(database, scenario, verdict.seed, { fault, violationsMax: 1 })
    const [one, other] = [await again(), await again()]
    expect(findDifference(one, other)).toBeUndefined()
    expect(one.verdict).toEqual(verdict)
  })
})
