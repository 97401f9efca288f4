import type { TestProject } from 'vitest/node'
import { type PostgresServer, startPostgresServer } from './postgres-server.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of a database from which test files make their own. */
    postgresUrl: string
  }
}

let server: PostgresServer | undefined

export async function setup(project: TestProject): Promise<void> {
  server = await startPostgresServer()
  project.provide('postgresUrl', server.url)
}

export async function teardown(): Promise<void> {
  await server?.[Symbol.asyncDispose]()
}
