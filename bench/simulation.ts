import { openLaboratory } from '../server/test/simulation/engine/laboratory.ts'
import { simulate } from '../server/test/simulation/engine/simulate.ts'
import { runCampaign } from '../server/test/simulation/memory/campaign-days.ts'
import { sending } from '../server/test/simulation/sending/scenario.ts'
import type { Figure } from './run.ts'

const seeds = 15
const campaigns = 200

/** Simulated histories of sending: over a real database, and with the ledger in memory. */
export async function bench(): Promise<Figure[]> {
  const perSecond = await measureStatements()
  const days = measureDays()
  return [
    {
      name: 'statements of simulated processes over the database',
      value: perSecond,
      unit: '/s',
      target: '≥ 2,000/s',
      met: perSecond >= 2000,
    },
    {
      name: 'campaigns of 40 leads with the ledger in memory, processor time',
      value: days,
      unit: 'campaign-days/s',
      target: '≥ 1,000/s',
      met: days >= 1000,
    },
  ]
}

async function measureStatements(): Promise<number> {
  await using laboratory = await openLaboratory(sending)
  let statements = 0
  const startedMs = performance.now()
  for (let seed = 1; seed <= seeds; seed++) {
    const verdict = await simulate(laboratory, sending, seed)
    if (verdict.violations.length > 0) throw new Error(`seed ${seed} broke a promise`)
    statements += verdict.statements
  }
  return statements / ((performance.now() - startedMs) / 1000)
}

function measureDays(): number {
  let days = 0
  const started = process.cpuUsage()
  for (let seed = 1; seed <= campaigns; seed++) days += runCampaign(seed, 40).days
  const { user, system } = process.cpuUsage(started)
  return days / ((user + system) / 1e6)
}
