import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { captureStatements } from '../../src/kernel/db/client.ts'
import { faults } from './faults.ts'
import { type Laboratory, openLaboratory } from './laboratory.ts'
import { simulate } from './simulate.ts'

let laboratory: Laboratory
beforeAll(async () => {
  // The statements of a fault break rules: that is what it is for.
  captureStatements(undefined)
  laboratory = await openLaboratory(inject('postgresUrl'))
})
afterAll(() => laboratory[Symbol.asyncDispose]())

/** Far more than any of them needs (docs/reliability.md), and an end for one that is not caught. */
const seedsMax = 40

test.each(faults)('the simulation catches $name', { timeout: 120_000 }, async (fault) => {
  for (let seed = 1; seed <= seedsMax; seed++) {
    const { violations } = await simulate(laboratory, seed, { fault })
    if (violations.length > 0) return
  }
  expect.fail(`no violation in ${seedsMax} seeds`)
})
