import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { v8Flags } from './child.ts'
import { type GeneratedDirectory, writeDirectory } from './directory-generator.ts'
import type { Figure } from './figure.ts'
import type { BenchService } from './service.ts'

/**
 * Imports of a CSV in a process of their own: the first half of the contacts into the empty directory,
 * the second half into the directory with the first.
 */
export async function measureImport(
  service: BenchService,
  folder: string,
  size: GeneratedDirectory,
): Promise<Figure[]> {
  const half = size.contacts / 2
  const figures: Figure[] = []
  let peakBytes = 0
  for (const from of [0, half]) {
    const path = join(folder, `contacts-${from}.csv`)
    await writeDirectory(path, size, { from, to: from + half })
    const imported = await importAlone(service, path)
    if (imported.contacts_created !== half || imported.rejected > 0) {
      throw new Error(`Not everything was imported: ${JSON.stringify(imported)}`)
    }
    peakBytes = Math.max(peakBytes, imported.peakBytes)
    const value = half / imported.seconds
    const into = from === 0 ? 'the empty directory' : `${from.toLocaleString('en-US')} others`
    figures.push({
      name: `import of ${half.toLocaleString('en-US')} contacts into ${into} (${imported.cpuSeconds.toFixed(1)} s of the process's time)`,
      value,
      unit: 'rows/s',
      target: '≥ 15,000 rows/s',
      met: value >= 15_000,
    })
  }
  const megabytes = peakBytes / 1e6
  return [
    ...figures,
    {
      name: 'peak memory of the imports',
      value: megabytes,
      unit: 'MB',
      target: '< 250 MB',
      met: megabytes < 250,
    },
  ]
}

interface Imported {
  seconds: number
  cpuSeconds: number
  peakBytes: number
  contacts_created: number
  rejected: number
}

/** As `outrider directory import` runs. */
async function importAlone(service: BenchService, path: string): Promise<Imported> {
  const script = fileURLToPath(new URL('import-process.ts', import.meta.url))
  const cache = fileURLToPath(new URL('../node_modules/.cache/outrider', import.meta.url))
  const env = {
    DATABASE_URL: service.databaseUrl,
    DATA_DIR: service.dataDir,
    NODE_COMPILE_CACHE: cache,
  }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...v8Flags('import'), script, path],
    {
      env: { PATH: process.env.PATH, ...env },
    },
  )
  return JSON.parse(stdout) as Imported
}
