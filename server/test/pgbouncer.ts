import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { choosePort } from '../src/kernel/postgres/port.ts'

const program = '/usr/sbin/pgbouncer'

/** Why Debian's PgBouncer cannot be started here; nothing when it can. */
export const whyNoPgBouncer = existsSync(program) ? undefined : `${program} is not installed`

export interface PgBouncer extends AsyncDisposable {
  /** Of the same database, through the pooler. */
  url: string
}

/** A PgBouncer as Debian configures it, in front of the database at `databaseUrl`. */
export async function startPgBouncer(
  databaseUrl: string,
  mode: 'transaction' | 'session',
): Promise<PgBouncer> {
  const { username, password, hostname, port, pathname } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'outrider-pgbouncer-'))
  await chmod(folder, 0o755)
  const own = await choosePort()
  const settings = `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder}/users
pool_mode = ${mode}
max_client_conn = 200
default_pool_size = 20
`
  await writeFile(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`)
  await writeFile(join(folder, 'pgbouncer.ini'), settings)
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program, [...asUser, join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  await started(child.stderr, exited)
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${own}${pathname}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
      await rm(folder, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

/** Resolves once it listens. */
function started(stderr: NodeJS.ReadableStream, exited: Promise<unknown>): Promise<void> {
  let told = ''
  return new Promise((resolve, reject) => {
    createInterface(stderr).on('line', (line) => {
      told += `${line}\n`
      if (line.includes('process up')) resolve()
    })
    void exited.then(() => reject(new Error(`PgBouncer did not start: ${told}`)))
  })
}
