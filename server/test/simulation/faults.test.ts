import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { captureStatements } from '../../src/kernel/db/client.ts'
import { type Laboratory, openLaboratory } from './engine/laboratory.ts'
import { findDifference, record } from './engine/replay.ts'
import { scenarios } from './scenarios.ts'

/** Far more than any of them needs (docs/reliability.md), and an end for one that is not caught. */
const seedsMax = 40
const timeout = 120_000
const violationsMax = 1

describe.each(scenarios)('$name', (scenario) => {
  let laboratory: Laboratory
  beforeAll(async () => {
    // The statements of a fault break rules: that is what it is for.
    captureStatements(undefined)
    laboratory = await openLaboratory(scenario)
  })
  afterAll(() => laboratory[Symbol.asyncDispose]())

  test.each(scenario.faults)(
    'the simulation catches $name, and catches it again at the same step',
    { timeout },
    async (fault) => {
      for (let seed = 1; seed <= seedsMax; seed++) {
        const failed = await record(laboratory, scenario, seed, { fault, violationsMax })
        if (failed.verdict.violations.length === 0) continue
        const again = await record(laboratory, scenario, seed, { fault, violationsMax })
        expect(findDifference(failed, again)).toBeUndefined()
        expect(again.verdict.violations).toEqual(failed.verdict.violations)
        return
      }
      expect.fail(`no violation in ${seedsMax} seeds`)
    },
  )
})
