import type { Scenario } from './scenario.ts'
import type { SimulationOptions, Verdict } from './simulate.ts'

/** What was broken, where, and how to see it again. */
export function report(
  { name }: Scenario,
  { seed, digest, violations }: Verdict,
  { days, fault }: SimulationOptions = {},
): string {
  const options = [
    `--seed ${seed}`,
    ...(days === undefined ? [] : [`--days ${days}`]),
    ...(fault ? [`--fault ${fault.name}`] : []),
    '--trace',
  ]
  return [
    `${name}, seed ${seed}, trace ${digest}:`,
    ...violations.map(({ step, atMs, what }) => `  step ${step}, ${atMs.toFixed(2)} ms: ${what}`),
    `  replay: npm run simulate -- ${name} ${options.join(' ')}`,
  ].join('\n')
}
