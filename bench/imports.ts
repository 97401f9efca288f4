import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { from as copyInto } from 'pg-copy-streams'
import { v8Flags } from './child.ts'
import { directoryColumns, type GeneratedDirectory } from './directory-generator.ts'
import type { Figure } from './run.ts'
import type { BenchService } from './service.ts'

/**
 * The import of a CSV into the empty directory, in a process of its own, against a bare `COPY` of the
 * same file into a table without an index.
 */
export async function measureImport(
  service: BenchService,
  path: string,
  size: GeneratedDirectory,
): Promise<Figure[]> {
  const bare = size.contacts / (await copyBare(service.databaseUrl, path))
  const imported = await importAlone(service, path)
  if (imported.contacts_created !== size.contacts || imported.rejected > 0) {
    throw new Error(`Not everything was imported: ${JSON.stringify(imported)}`)
  }
  const value = size.contacts / imported.seconds
  const megabytes = imported.peakBytes / 1e6
  return [
    {
      name: `import of ${size.contacts.toLocaleString('en-US')} contacts, searchable`,
      value,
      unit: 'rows/s',
      limit: { name: 'bare COPY of the same rows', value: bare },
      target: '≥ 40 % of the limit',
      met: value >= 0.4 * bare,
    },
    {
      name: 'peak memory of the import',
      value: megabytes,
      unit: 'MB',
      target: '< 300 MB',
      met: megabytes < 300,
    },
  ]
}

/** @returns seconds */
async function copyBare(databaseUrl: string, path: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const columns = directoryColumns.map((name) => `${name} text`)
    await client.query(`create table bare_rows (${columns.join(', ')})`)
    const startedMs = performance.now()
    await pipeline(
      createReadStream(path, { highWaterMark: 1 << 18 }),
      client.query(copyInto('copy bare_rows from stdin (format csv, header)')),
    )
    const seconds = (performance.now() - startedMs) / 1000
    // What the disk still has to write must not be paid for by whoever comes next.
    await client.query('drop table bare_rows')
    await client.query('checkpoint')
    return seconds
  } finally {
    await client.end()
  }
}

interface Imported {
  seconds: number
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
    MALLOC_ARENA_MAX: '1',
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
