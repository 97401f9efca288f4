import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { runCampaign } from '../server/test/simulation/memory/campaign-days.ts'
import { v8Flags } from './child.ts'
import type { Figure } from './figure.ts'

/** Of each process. */
const seeds = 30
const campaigns = 200

/** Simulated histories of sending: over a real database, and with the ledger in memory. */
export async function bench(): Promise<Figure[]> {
  const processes = availableParallelism()
  const { perSecond, bare } = await measureStatements(processes)
  const days = measureDays()
  return [
    {
      name: `statements of simulated processes over the database, ${processes} simulations at once`,
      value: perSecond,
      unit: '/s',
      limit: { name: 'bare prepared selects, one connection each', value: bare },
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

/** A seed is one thread of events, so each core has a simulation of its own. */
async function measureStatements(processes: number) {
  const script = fileURLToPath(new URL('simulation-process.ts', import.meta.url))
  const rates = await Promise.all(
    Array.from({ length: processes }, async (_, index) => {
      const args = [...v8Flags('simulation'), script, String(1 + index * seeds), String(seeds)]
      const { stdout } = await promisify(execFile)(process.execPath, args)
      return JSON.parse(stdout) as { perSecond: number; bare: number }
    }),
  )
  const sum = (key: 'perSecond' | 'bare') => rates.reduce((total, rate) => total + rate[key], 0)
  return { perSecond: sum('perSecond'), bare: sum('bare') }
}

function measureDays(): number {
  let days = 0
  const started = process.cpuUsage()
  for (let seed = 1; seed <= campaigns; seed++) days += runCampaign(seed, 40).days
  const { user, system } = process.cpuUsage(started)
  return days / ((user + system) / 1e6)
}
