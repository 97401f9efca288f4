import type { SimulationDatabase } from './database.ts'
import type { Scenario } from './scenario.ts'
import { type SimulationOptions, simulate, type Verdict } from './simulate.ts'

/** A run, and the lines of its trace. */
export interface Recording {
  verdict: Verdict
  lines: string[]
}

export async function record(
  database: SimulationDatabase,
  scenario: Scenario,
  seed: number,
  options: SimulationOptions = {},
): Promise<Recording> {
  const lines: string[] = []
  const print = (line: string, more: string) => lines.push(`${line} ${more}`)
  return { verdict: await simulate(database, scenario, seed, { ...options, print }), lines }
}

/** Undefined: the same run. Else the first line in which the two are not. */
export function findDifference(one: Recording, other: Recording): string | undefined {
  if (one.verdict.digest === other.verdict.digest) return
  const at = one.lines.findIndex((line, index) => line !== other.lines[index])
  const [first, second] = [one.lines[at], other.lines[at]].map((line) => line ?? 'nothing')
  return `line ${at} is\n  ${first}\nand then\n  ${second}`
}
