import { randomBytes } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from 'vitest'
import { runCli } from '../src/cli/run.ts'
import type { Answer } from './app.ts'
import { type TestDatabase, testDatabase } from './database.ts'
import type { Settings } from './processes.ts'

/** What a command printed, looked into freely. */
type Json = Answer['body']

/** A database for the operator commands of a test file, named to them by the environment. */
export function commandDatabase(): () => TestDatabase {
  let database: TestDatabase
  const OUTRIDER_SECRET_KEY = randomBytes(32).toString('base64')
  beforeAll(async () => {
    database = await testDatabase()
  })
  afterAll(() => database[Symbol.asyncDispose]())
  beforeEach(() => {
    vi.stubEnv('DATABASE_URL', database.url)
    vi.stubEnv('OUTRIDER_SECRET_KEY', OUTRIDER_SECRET_KEY)
    vi.stubEnv('DATA_DIR', '/nowhere')
    // Vitest sets it to a path.
    vi.stubEnv('BASE_URL', '')
  })
  afterEach(() => void vi.unstubAllEnvs())
  return () => database
}

/** Runs a command in this process. */
export async function run(...args: string[]) {
  const streams = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      streams[name] += chunk
      return true
    }),
  )
  try {
    await runCli(['node', 'outrider', ...args])
    return { code: process.exitCode ?? 0, ...streams }
  } finally {
    process.exitCode = undefined
    for (const spy of spies) spy.mockRestore()
  }
}

/** Runs a command in this process, with the settings that one of its own would have. */
export async function runWith(settings: Settings, ...args: string[]) {
  // Vitest sets it to a path.
  for (const [name, value] of Object.entries({ BASE_URL: '', ...settings })) vi.stubEnv(name, value)
  try {
    return await run(...args)
  } finally {
    vi.unstubAllEnvs()
  }
}

/** Runs a command that must succeed, with `--json`. */
export async function json(...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await run(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

/** Runs SQL that is not held to the workspace rules: a test arranges what no application would. */
export const queryUnchecked = (database: TestDatabase, text: string, values: unknown[] = []) =>
  database.peek.executeQuery<Record<string, Json>>(CompiledQuery.raw(text, values))
