import { mkdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { cpus, totalmem } from 'node:os'

/**
 * `npm run bench -- NAME [NAME …]`: prints each figure beside a limit taken in the same run, and
 * writes bench/results/NAME.json.
 */
export interface Figure {
  name: string
  value: number
  unit: string
  /** What the same machine does without our part of the work. */
  limit?: { name: string; value: number }
  target: string
  met: boolean
}

const benches: Record<string, () => Promise<{ bench: () => Promise<Figure[]> }>> = {
  acquisition: () => import('./acquisition.ts'),
  api: () => import('./api.ts'),
  deliveries: () => import('./deliveries.ts'),
  forecast: () => import('./forecast.ts'),
  leads: () => import('./leads.ts'),
  lists: () => import('./lists.ts'),
  messages: () => import('./messages.ts'),
  sending: () => import('./sending.ts'),
}

const names = process.argv.slice(2)
if (names.length === 0 || names.some((name) => !(name in benches))) {
  console.error(`Usage: npm run bench -- ${Object.keys(benches).join('|')}`)
  process.exit(2)
}
for (const name of names) await run(name)

async function run(name: string) {
  const { bench } = (await benches[name]?.()) ?? {}
  if (!bench) return
  const figures = await bench()
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
  await writeFile(new URL(`${name}.json`, folder), `${JSON.stringify(result, undefined, 2)}\n`)
}

function format(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(2)
}
