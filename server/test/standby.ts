import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { appendFile, chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { choosePort } from '../src/kernel/postgres/port.ts'
import { quickDirectory } from './quick-directory.ts'
import { startTcpServer } from './tcp-server.ts'

const programs = process.env.POSTGRES_PROGRAMS || '/usr/lib/postgresql/15/bin'

/** Why no standby can be started here; nothing when one can. The embedded PostgreSQL has no pg_basebackup. */
export const whyNoStandby = existsSync(join(programs, 'pg_basebackup'))
  ? undefined
  : `${programs} has no pg_basebackup`

/** A primary and its standby, at one address that moves from the one to the other. */
export interface Pair extends AsyncDisposable {
  /** Of whichever is the primary. */
  url: string
  query: (text: string) => Promise<Record<string, unknown>[]>
  /** What is committed from now on does not reach the standby. */
  holdBack: () => Promise<void>
  /** The primary dies as by kill -9, the standby takes over, and the address leads to it. */
  failOver: () => Promise<void>
}

/** They do not run as root. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
const run = (program: string, args: string[]) =>
  promisify(execFile)(join(programs, program), args, { ...nobody, cwd: '/' })

export async function startPair({ isSynchronous }: { isSynchronous: boolean }): Promise<Pair> {
  const folder = await mkdtemp(join(await quickDirectory(), 'outrider-standby-'))
  await chmod(folder, 0o755)
  if (nobody.uid) await chown(folder, nobody.uid, nobody.gid)
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')]
  await run('initdb', ['-D', first, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'])
  const primary = await launch(first)
  await run('pg_basebackup', [
    ...['-d', urlOf(primary.port), '-D', second, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
  ])
  await appendFile(
    join(second, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres application_name=standby'\n`,
  )
  const standby = await launch(second)
  if (isSynchronous) {
    await query(primary.port, `alter system set synchronous_standby_names = 'standby'`)
    await query(primary.port, 'select pg_reload_conf()')
  }
  let port = primary.port
  const address = await startTcpServer((client) => {
    const server = connect(port, '127.0.0.1')
    server.on('error', () => undefined)
    server.on('close', () => client.destroy())
    client.on('close', () => server.destroy())
    client.pipe(server).pipe(client)
  })
  return {
    url: urlOf(address.port),
    query: (text) => query(address.port, text),
    async holdBack() {
      // Whoever streams nothing keeps what it has.
      await query(standby.port, `alter system set primary_conninfo = ''`)
      await query(standby.port, 'select pg_reload_conf()')
      const receiving = 'select count(*)::int as count from pg_stat_wal_receiver'
      while ((await query(standby.port, receiving))[0]?.count !== 0);
    },
    async failOver() {
      await primary.kill()
      await query(standby.port, 'select pg_promote()')
      port = standby.port
      for (const socket of address.sockets) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([primary.kill(), standby.kill(), address[Symbol.asyncDispose]()])
      await rm(folder, { recursive: true, force: true, maxRetries: 20 })
    },
  }
}

const urlOf = (port: number) => `postgres://postgres@127.0.0.1:${port}/postgres`

async function query(port: number, text: string) {
  const client = new pg.Client({ connectionString: urlOf(port) })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Resolves once it answers. */
async function launch(directory: string) {
  const port = await choosePort()
  const settings = [
    ...['listen_addresses=127.0.0.1', `port=${port}`, 'unix_socket_directories='],
    ...['fsync=off', 'max_connections=100', 'hot_standby=on'],
  ]
  const args = ['-D', directory, ...settings.flatMap((setting) => ['-c', setting])]
  const server: ChildProcess = spawn(join(programs, 'postgres'), args, {
    ...{ ...nobody, cwd: '/', stdio: 'ignore', detached: true },
  })
  const exited = once(server, 'exit')
  const kill = async () => {
    if (server.exitCode !== null || server.signalCode !== null) return
    // Its processes with it, which would else go on until they notice.
    process.kill(-Number(server.pid), 'SIGKILL')
    await exited
  }
  for (;;) {
    const isUp = await query(port, 'select 1').then(
      () => true,
      () => false,
    )
    if (isUp) return { port, kill }
    if (server.exitCode !== null) throw new Error(`PostgreSQL in ${directory} did not start.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
