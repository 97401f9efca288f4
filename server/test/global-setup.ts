import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { type PgBouncer, startPgBouncer, whyNoPreparedNames } from './pgbouncer.ts'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'
import { quickDirectory } from './quick-directory.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a database from which test files make their own. */
    postgresUrl: string
    /** The same through PgBouncer, for what runs in the process of a test; undefined: TEST_POOLER is not on. */
    poolerUrl: string | undefined
    /** A directory for the database from which the first test that needs one makes it, and others copy it. */
    clusterFolder: string
    /** Where the processes that tests start keep their compiled modules for the next ones. */
    compileCache: string
  }
}

let server: PostgresServer | undefined
let pooler: PgBouncer | undefined
let compileCache: string | undefined
let clusterFolder: string | undefined

export async function setup(project: TestProject): Promise<void> {
  buildServer()
  compileCache = await mkdtemp(join(tmpdir(), 'outrider-compiled-'))
  project.provide('compileCache', compileCache)
  clusterFolder = await mkdtemp(join(await quickDirectory(), 'outrider-cluster-'))
  project.provide('clusterFolder', clusterFolder)
  server = await startPostgresServer()
  project.provide('postgresUrl', server.url)
  if (process.env.TEST_POOLER === 'on') {
    if (whyNoPreparedNames) throw new Error(`TEST_POOLER: PgBouncer is ${whyNoPreparedNames}.`)
    pooler = await startPgBouncer(server.url)
  }
  project.provide('poolerUrl', pooler?.url)
}

/** What the processes that tests start run. */
function buildServer() {
  const script = fileURLToPath(new URL('../../scripts/build-server.ts', import.meta.url))
  execFileSync(process.execPath, [script], { stdio: 'inherit' })
}

export async function teardown(): Promise<void> {
  await pooler?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
  for (const folder of [compileCache, clusterFolder]) {
    if (folder) await rm(folder, { recursive: true, force: true, maxRetries: 20 })
  }
}
