import { parseArgs } from 'node:util'
import { openSimulationDatabase, type SimulationDatabase } from './engine/database.ts'
import { findDifference, record } from './engine/replay.ts'
import { report } from './engine/report.ts'
import type { Scenario } from './engine/scenario.ts'
import { findCatching, simulate } from './engine/simulate.ts'
import { scenarios } from './scenarios.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1' },
    days: { type: 'string' },
    fault: { type: 'string' },
    trace: { type: 'boolean', default: false },
    twice: { type: 'boolean', default: false },
    'find-catching': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
if (values.help) {
  console.log(usage())
  process.exit()
}
const scenario = choose('SCENARIO', scenarios, positionals[0] ?? scenarios[0]?.name)
const fault = values.fault ? choose('--fault', scenario.faults, values.fault) : undefined

let failed = 0
const days = values.days === undefined ? undefined : Number(values.days)

await using database = await openSimulationDatabase(scenario)
if (values['find-catching']) await findCatchingSeeds()
else await runSeeds()

async function findCatchingSeeds() {
  for (const fault of scenario.faults) {
    const seeds = await findCatching(database, scenario, fault)
    console.log(`    '${fault.name}': [${seeds.join(', ')}],`)
  }
}

async function runSeeds() {
  const startedMs = performance.now()
  const first = Number(values.seed)
  const last = first + Number(values.runs) - 1
  const total = { steps: 0, parkings: 0, deadlocks: 0, virtualMs: 0 }
  for (let seed = first; seed <= last; seed++) {
    const verdict = values.twice
      ? await runTwice(database, scenario, seed)
      : await simulate(database, scenario, seed, {
          ...{ days, fault },
          print: values.trace ? show : undefined,
        })
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += verdict[key]
    if (verdict.violations.length > 0) {
      failed += 1
      console.log(report(scenario, verdict, { days, fault }))
    }
  }
  const seconds = (performance.now() - startedMs) / 1000
  console.log(
    `${last - first + 1} seeds, ${failed} failed, ${seconds.toFixed(1)} s; ${total.steps} steps, ` +
      `${total.parkings} waits for a lock, ${total.deadlocks} deadlocks, ` +
      `${Math.round(total.virtualMs / 3_600_000)} simulated hours`,
  )
  process.exitCode = failed > 0 ? 1 : 0
}

async function runTwice(database: SimulationDatabase, scenario: Scenario, seed: number) {
  const recording = await record(database, scenario, seed, { days, fault })
  const again = await record(database, scenario, seed, { days, fault })
  const difference = findDifference(recording, again)
  if (difference) {
    failed += 1
    console.log(`seed ${seed}: the second run was another, ${difference}`)
  }
  return recording.verdict
}

function show(line: string, more: string) {
  console.log(`${line}  ${more.slice(0, 160)}`.trimEnd())
}

function choose<T extends { name: string }>(what: string, all: T[], name: string | undefined): T {
  const found = all.find((one) => one.name === name)
  if (!found) throw new Error(`${what} is one of ${all.map((one) => one.name).join(', ')}.`)
  return found
}

function usage(): string {
  return `npm run simulate -- [SCENARIO] [--seed N] [--runs K] [--days D] [--fault NAME] [--trace] [--twice] [--find-catching]

SCENARIO   ${scenarios.map(({ name }) => name).join(' or ')}; without one, the first
--seed     where to begin; one seed is always the same history
--runs     how many seeds in a row
--days     sending only: so many days of mishaps, then until the last mail. Over the database, as all
           histories here; those with the ledger in memory are run by memory/campaign-days.test.ts
--fault    with a mistake put into it that must be noticed:
${scenarios.map(({ name, faults }) => `           ${name}: ${faults.map((fault) => fault.name).join(', ')}`).join('\n')}
--trace    prints everything that happens
--twice    runs each seed again, and compares
--find-catching  prints the seeds that catch each fault soonest, for caught-by.ts`
}
