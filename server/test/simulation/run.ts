import { parseArgs } from 'node:util'
import { startPostgresServer } from '../postgres-server.ts'
import { faults } from './faults.ts'
import { openLaboratory } from './laboratory.ts'
import { simulate, type Verdict } from './simulate.ts'

// npm run simulate -- [--seed N] [--runs K] [--fault NAME] [--trace] [--twice]

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    runs: { type: 'string', default: '1' },
    fault: { type: 'string' },
    trace: { type: 'boolean', default: false },
    twice: { type: 'boolean', default: false },
  },
})
const fault = faults.find(({ name }) => name === values.fault)
if (values.fault && !fault) {
  throw new Error(`--fault is one of ${faults.map(({ name }) => name).join(', ')}.`)
}
const print = values.trace ? (line: string) => console.log(line) : undefined

await using postgres = await startPostgresServer()
await using laboratory = await openLaboratory(postgres.url)
const startedMs = performance.now()
const first = Number(values.seed)
const last = first + Number(values.runs) - 1
let failed = 0
const total = { steps: 0, requests: 0, parkings: 0, deadlocks: 0, virtualMs: 0 }
for (let seed = first; seed <= last; seed++) {
  const verdict = await simulate(laboratory, seed, { fault, print })
  add(verdict)
  if (verdict.violations.length > 0) report(verdict)
  if (values.twice && (await simulate(laboratory, seed, { fault })).digest !== verdict.digest) {
    failed += 1
    console.log(`seed ${seed}: the second run was another`)
  }
}
const seconds = (performance.now() - startedMs) / 1000
console.log(
  `${last - first + 1} seeds, ${failed} failed, ${seconds.toFixed(1)} s; ${total.steps} gates, ` +
    `${total.requests} requests, ${total.parkings} waits for a lock, ${total.deadlocks} deadlocks, ` +
    `${Math.round(total.virtualMs / 3_600_000)} simulated hours`,
)
process.exitCode = failed > 0 ? 1 : 0

function add(verdict: Verdict) {
  for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += verdict[key]
}

function report({ seed, digest, violations }: Verdict) {
  failed += 1
  console.log(`seed ${seed} (${digest}):`)
  for (const violation of violations) console.log(`  ${violation}`)
  const withFault = fault ? ` --fault ${fault.name}` : ''
  console.log(`  replay: npm run simulate -- --seed ${seed}${withFault} --trace`)
}
