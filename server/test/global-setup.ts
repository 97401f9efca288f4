import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a database from which test files make their own. */
    postgresUrl: string
    /** Where the processes that tests start keep their compiled modules for the next ones. */
    compileCache: string
  }
}

let server: PostgresServer | undefined
let compileCache: string | undefined

export async function setup(project: TestProject): Promise<void> {
  compileCache = await mkdtemp(join(tmpdir(), 'outrider-compiled-'))
  project.provide('compileCache', compileCache)
  server = await startPostgresServer()
  project.provide('postgresUrl', server.url)
}

export async function teardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]()
  if (compileCache) await rm(compileCache, { recursive: true, force: true, maxRetries: 20 })
}
