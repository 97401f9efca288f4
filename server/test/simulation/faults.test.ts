import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { captureStatements } from '../../src/kernel/db/client.ts'
import { caughtBy } from './caught-by.ts'
import type { Fault } from './engine/faults.ts'
import { type SimulationDatabase, openSimulationDatabase } from './engine/database.ts'
import { findDifference, record } from './engine/replay.ts'
import { catchFault, type Verdict } from './engine/simulate.ts'
import { scenarios } from './scenarios.ts'

const timeout = 120_000

describe.each(scenarios)('$name', (scenario) => {
  let database: SimulationDatabase
  const caught: { fault: Fault; verdict: Verdict }[] = []
  beforeAll(async () => {
    // The statements of a fault break rules: that is what it is for.
    captureStatements(undefined)
    database = await openSimulationDatabase(scenario)
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test.each(scenario.faults)('the simulation catches $name', { timeout }, async (fault) => {
    const remembered = caughtBy[scenario.name]?.[fault.name]
    const verdict = await catchFault(database, scenario, fault, remembered)
    if (!verdict) expect.fail('no seed catches it')
    if (verdict.seed !== remembered) {
      console.warn(`caught-by.ts: ${scenario.name}: '${fault.name}': ${verdict.seed}`)
    }
    caught.push({ fault, verdict })
  })

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
