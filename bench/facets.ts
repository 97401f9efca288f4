import { countFacets, type searchDirectory } from '../server/src/features/directory/index.ts'
import { type Figure, percentile } from './figure.ts'
import { makeQueries } from './searches.ts'
import type { BenchService } from './service.ts'

type Filters = Parameters<typeof searchDirectory>[1]

const queries = 200
const warmUp = 20

/** The counts beside a search's filters, for the searches that the directory is measured by. */
export async function measureFacets(service: BenchService): Promise<Figure[]> {
  const bodies = (await makeQueries(service)).slice(0, queries + warmUp) as Filters[]
  const times: number[] = []
  for (const [at, filters] of bodies.entries()) {
    const startedMs = performance.now()
    await countFacets(service.ctx.db, filters)
    if (at >= warmUp) times.push(performance.now() - startedMs)
  }
  return [['p50', 0.5, 100] as const, ['p95', 0.95, 300] as const].map(([name, share, target]) => {
    const value = percentile(times, share)
    return {
      ...{ name: `counts of facets, ${queries} mixed queries, ${name}`, value, unit: 'ms' },
      ...{ target: `< ${target} ms`, met: value < target },
    }
  })
}
