// `npm run bench -- NAME [NAME …] [--only PART]`: prints each figure beside a limit taken in the
// same run, and writes bench/results/NAME.json. A bench that has parts runs one of them alone.
import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import type { EachPart, Figure } from './figure.ts'

interface Bench {
  bench: (eachPart: EachPart<never>) => Promise<Figure[]>
  parts?: Record<string, unknown>
}

const benches: Record<string, () => Promise<Bench>> = {
  acquisition: () => import('./acquisition.ts'),
  api: () => import('./api.ts'),
  application: () => import('./application.ts'),
  capacity: () => import('./capacity.ts'),
  deliveries: () => import('./deliveries.ts'),
  discovery: () => import('./discovery.ts'),
  forecast: () => import('./forecast.ts'),
  leads: () => import('./leads.ts'),
  lists: () => import('./lists.ts'),
  'mail-search': () => import('./mail-search.ts'),
  messages: () => import('./messages.ts'),
  planning: () => import('./planning.ts'),
  pooler: () => import('./pooler.ts'),
  replies: () => import('./replies.ts'),
  sending: () => import('./sending.ts'),
  shards: () => import('./shards.ts'),
  simulation: () => import('./simulation.ts'),
}

const { positionals: names, values: options } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' } },
})
if (names.length === 0 || names.some((name) => !(name in benches))) {
  console.error(`Usage: npm run bench -- ${Object.keys(benches).join('|')}`)
  process.exit(2)
}
for (const name of names) await run(name)

async function run(name: string) {
  const { bench, parts = {} } = (await benches[name]?.()) ?? {}
  if (!bench) return
  const { only } = options
  if (only !== undefined && !(only in parts)) {
    console.error(`${name} has these parts: ${Object.keys(parts).join(', ') || 'none'}`)
    process.exit(2)
  }
  const figures = await bench(async (measure) => {
    const measured: Figure[] = []
    for (const part of only === undefined ? Object.keys(parts) : [only]) {
      measured.push(...(await measure(parts[part] as never, part)))
    }
    return measured
  })
  console.log(`\n${name}`)
  console.table(
    figures.map((figure) => ({
      figure: figure.name,
      value: `${format(figure.value)} ${figure.unit}`,
      limit: figure.limit ? `${format(figure.limit.value)} (${figure.limit.name})` : '',
      ratio: figure.limit ? `${Math.round((100 * figure.value) / figure.limit.value)} %` : '',
      target: figure.target,
      met: figure.met ? 'yes' : 'NO',
    })),
  )
  const machine = { cores: cpus().length, cpu: cpus()[0]?.model, memoryBytes: totalmem() }
  const folder = new URL('results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const result = { name, machine, node: process.version, figures }
  const file = only === undefined ? `${name}.json` : `${name}-${only}.json`
  await writeFile(new URL(file, folder), `${JSON.stringify(result, undefined, 2)}\n`)
}

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2)
}
