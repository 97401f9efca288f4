import { existsSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import {
  ask,
  createFiles,
  makeFolder,
  runProgram,
  startPostgresProcess,
  urlOf,
} from './postgres-process.ts'
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
  /** Of the first primary, wherever the address leads. */
  firstUrl: string
  query: (text: string) => Promise<Record<string, unknown>[]>
  /** What is committed from now on does not reach the standby. */
  holdBack: () => Promise<void>
  /** The primary comes back as a standby, and the address still leads to it. */
  demote: () => Promise<void>
  /** The primary takes no changes from now on, as where another one is about to take over. */
  setReadOnly: () => Promise<void>
  /** The standby takes over and the address leads to it; what is connected stays where it is. */
  moveAddress: () => Promise<void>
  /** The primary dies as by kill -9, the standby takes over, and the address leads to it. */
  failOver: () => Promise<void>
}

const launch = (directory: string) => startPostgresProcess(programs, directory, ['hot_standby=on'])

export async function startPair({ isSynchronous }: { isSynchronous: boolean }): Promise<Pair> {
  const { folder, remove } = await makeFolder('outrider-standby-')
  const [first, second] = [join(folder, 'primary'), join(folder, 'standby')]
  await createFiles(programs, first)
  const primary = await launch(first)
  await runProgram(join(programs, 'pg_basebackup'), [
    ...['-d', primary.url, '-D', second, '-R', '-X', 'stream', '-c', 'fast', '--no-sync'],
  ])
  await appendFile(
    join(second, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres application_name=standby'\n`,
  )
  const standby = await launch(second)
  if (isSynchronous) {
    await ask(primary.url, `alter system set synchronous_standby_names = 'standby'`)
    await ask(primary.url, 'select pg_reload_conf()')
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
    firstUrl: primary.url,
    query: (text) => ask(urlOf(address.port), text),
    async holdBack() {
      // Whoever streams nothing keeps what it has.
      await ask(standby.url, `alter system set primary_conninfo = ''`)
      await ask(standby.url, 'select pg_reload_conf()')
      const receiving = 'select count(*)::int as count from pg_stat_wal_receiver'
      while ((await ask(standby.url, receiving))[0]?.count !== 0);
    },
    async demote() {
      await primary.kill()
      await appendFile(join(first, 'standby.signal'), '')
      await primary.start()
    },
    async setReadOnly() {
      await ask(primary.url, 'alter system set default_transaction_read_only = on')
      await ask(primary.url, 'select pg_reload_conf()')
    },
    async moveAddress() {
      await ask(standby.url, 'select pg_promote()')
      port = standby.port
    },
    async failOver() {
      await primary.kill()
      await ask(standby.url, 'select pg_promote()')
      port = standby.port
      for (const socket of address.sockets) socket.destroy()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([primary.kill(), standby.kill(), address[Symbol.asyncDispose]()])
      await remove()
    },
  }
}
