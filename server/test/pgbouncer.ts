import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { choosePort } from '../src/kernel/postgres/port.ts'

const program = process.env.PGBOUNCER || '/usr/sbin/pgbouncer'

/** Why PgBouncer cannot be started here; nothing when it can. */
export const whyNoPgBouncer = existsSync(program) ? undefined : `${program} is not installed`

/** Why it keeps no prepared statements; nothing when it does. Debian 12 has 1.18. */
export const whyNoPreparedNames =
  whyNoPgBouncer ?? (versionOf() < 21 ? 'older than 1.21' : undefined)

function versionOf(): number {
  const text = execFileSync(program, ['--version'], { encoding: 'utf8' })
  return Number(/PgBouncer 1\.(\d+)/.exec(text)?.[1])
}

export interface PgBouncer extends AsyncDisposable {
  /** Of the same database, through the pooler. */
  url: string
  /** As by kill -9. */
  kill: () => Promise<void>
  /** At the same address, after it was killed. */
  start: () => Promise<void>
}

/**
 * A PgBouncer in front of the server at `databaseUrl`, as docs/scaling.md configures it.
 *
 * @param settings lines of its section `[pgbouncer]` that differ
 */
export async function startPgBouncer(databaseUrl: string, settings = ''): Promise<PgBouncer> {
  const { username, password, hostname, port, pathname } = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'outrider-pgbouncer-'))
  await chmod(folder, 0o755)
  const own = await choosePort()
  const file = configuration({
    ...{ database: `host=${hostname} port=${port}`, authFile: `${folder}/users`, listenPort: own },
    settings,
  })
  await writeFile(join(folder, 'users'), `"${username}" "${decodeURIComponent(password)}"\n`)
  await writeFile(join(folder, 'pgbouncer.ini'), file)
  let running = await launch(join(folder, 'pgbouncer.ini'))
  const kill = async () => {
    running.child.kill('SIGKILL')
    await running.exited
  }
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${own}${pathname}`,
    kill,
    async start() {
      running = await launch(join(folder, 'pgbouncer.ini'))
    },
    async [Symbol.asyncDispose]() {
      await kill()
      await rm(folder, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

/** What docs/scaling.md prints, with addresses and files of this machine. */
function configuration({
  database,
  listenPort,
  authFile,
  settings,
}: {
  database: string
  listenPort: number
  authFile: string
  settings: string
}): string {
  const scaling = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
  const printed = /```ini\n(\[databases\].*?)```/s.exec(scaling)?.[1] ?? ''
  const own = printed
    .replace('outrider = host=10.0.0.5 port=5432', `* = ${database}`)
    .replace(/^listen_addr = .*/m, 'listen_addr = 127.0.0.1\nunix_socket_dir =')
    .replace(/^listen_port = .*/m, `listen_port = ${listenPort}`)
    .replace(/^auth_file = .*/m, `auth_file = ${authFile}`)
    // A server of a test takes fewer connections.
    .replace(/^default_pool_size = .*/m, 'default_pool_size = 20')
  return `${whyNoPreparedNames ? own.replace(/^max_prepared_statements = .*/m, '') : own}${settings}\n`
}

/** What a process is told that reaches the database at `databaseUrl` through `pooler`. */
export const throughPooler = (pooler: PgBouncer, databaseUrl: string) => ({
  DATABASE_URL: pooler.url,
  DATABASE_DIRECT_URL: databaseUrl,
  DATABASE_PREPARED: whyNoPreparedNames ? 'off' : 'on',
})

interface Launched {
  child: ChildProcess
  exited: Promise<unknown>
}

/** Resolves once it listens. */
async function launch(settings: string): Promise<Launched> {
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child = spawn(program, [...asUser, settings], { stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  let told = ''
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stderr).on('line', (line) => {
      told += `${line}\n`
      if (line.includes('process up')) resolve()
    })
    void exited.then(() => reject(new Error(`PgBouncer did not start: ${told}`)))
  })
  return { child, exited }
}
