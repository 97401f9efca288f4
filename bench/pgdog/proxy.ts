import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { choosePort } from '../../server/src/kernel/postgres/port.ts'
import { ask, type PostgresProcess } from '../../server/test/postgres-process.ts'

const program = process.env.PGDOG ?? ''
/** Of the servers' version; only a move needs it. */
const pgDump = process.env.PG_DUMP ?? 'pg_dump'

export interface PgDog extends AsyncDisposable {
  /** Of the cluster with this name. */
  urlOf: (cluster: string) => string
  /** One of its own commands. */
  command: (text: string) => Promise<Record<string, unknown>[]>
  readonly pid: number
  log: () => Promise<string>
  /** As by kill -9. */
  kill: () => Promise<void>
  /** At the same address, after it was killed. */
  start: () => Promise<void>
}

/**
 * A PgDog in transaction mode, which spreads workspaces by the hash of their id over the servers of
 * each cluster.
 *
 * @param settings lines of its section `[general]`
 */
export async function startPgDog(
  clusters: Record<string, PostgresProcess[]>,
  settings: string[] = [],
): Promise<PgDog> {
  if (!existsSync(program)) throw new Error('Set PGDOG to the program pgdog, 0.1.54 or later.')
  const folder = await mkdtemp(join(tmpdir(), 'outrider-pgdog-'))
  const port = await choosePort()
  const files = [
    ['--config', 'pgdog.toml', describe(clusters, port, settings)],
    ['--users', 'users.toml', Object.keys(clusters).map(describeUser).join('')],
  ] as const
  for (const [, name, text] of files) await writeFile(join(folder, name), text)
  const args = files.flatMap(([option, name]) => [option, join(folder, name)])
  const logFile = join(folder, 'log')
  const log = () => readFile(logFile, 'utf8').catch(() => '')
  const first = Object.keys(clusters)[0] ?? ''
  const urlOf = (cluster: string) => `postgres://postgres:trial@127.0.0.1:${port}/${cluster}`
  const launch = async () => {
    const command = 'exec "$0" "$@" >>"$LOG" 2>&1'
    const child: ChildProcess = spawn('/bin/sh', ['-c', command, program, ...args], {
      ...{ cwd: folder, env: { LOG: logFile, RUST_LOG: 'info' }, stdio: 'ignore' },
    })
    const exited = once(child, 'exit')
    while (!(await answers(urlOf(first)))) {
      if (child.exitCode !== null) throw new Error(`PgDog did not start: ${await log()}`)
      await wait(50)
    }
    return { child, exited }
  }
  let running = await launch()
  const kill = async () => {
    running.child.kill('SIGKILL')
    await running.exited
  }
  return {
    urlOf,
    command: (text) => ask(`postgres://admin:trial@127.0.0.1:${port}/admin`, text),
    get pid() {
      return Number(running.child.pid)
    },
    log,
    kill,
    async start() {
      running = await launch()
    },
    async [Symbol.asyncDispose]() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const answers = (url: string) =>
  ask(url, 'select 1').then(
    () => true,
    () => false,
  )

const describe = (
  clusters: Record<string, PostgresProcess[]>,
  port: number,
  settings: string[],
) => `[general]
host = "127.0.0.1"
port = ${port}
auth_type = "trust"
default_pool_size = 20
# A statement for a server that is away waits this long.
checkout_timeout = 1000
${settings.join('\n')}

[replication]
pg_dump_path = "${pgDump}"

[admin]
password = "trial"
${Object.entries(clusters).map(describeCluster).join('')}`

const describeCluster = ([name, servers]: [string, PostgresProcess[]]) => `
${servers.map((server, shard) => describeServer(name, server, shard)).join('')}
[[sharded_tables]]
database = "${name}"
column = "workspace_id"
data_type = "uuid"

[[sharded_tables]]
database = "${name}"
name = "workspaces"
column = "id"
data_type = "uuid"
`

const describeServer = (name: string, { port }: PostgresProcess, shard: number) => `
[[databases]]
name = "${name}"
host = "127.0.0.1"
port = ${port}
database_name = "postgres"
shard = ${shard}
`

const describeUser = (cluster: string) => `
[[users]]
name = "postgres"
database = "${cluster}"
password = "trial"
schema_admin = true
`
