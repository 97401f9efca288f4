import {
  type ChildProcess,
  execFile,
  type SpawnOptions,
  spawn,
  spawnSync,
} from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { canHide, runWithoutEntry } from '../../../test/hidden-process.ts'
import { patience } from '../../../test/patience.ts'
import { quickDirectory } from '../../../test/quick-directory.ts'
import { clusterAt, createCluster, openCluster, readUrl } from './cluster.ts'
import { findRunning, startPostgres } from './index.ts'
import { alreadyServed } from './lock.ts'
import { choosePort } from './port.ts'
import { findPostmaster, startPostmaster } from './postmaster.ts'
import { requirePrograms } from './programs.ts'
import { serverSettings } from './settings.ts'

const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
const nobody = { uid: 65_534, gid: 65_534 }
// Needs root to become somebody else, and a checkout that somebody else can enter.
const canStepDown =
  process.geteuid?.() === 0 && spawnSync(process.execPath, ['--version'], nobody).status === 0
/** As a container does: processes, addresses and memory of its own, and the files of others. */
const inContainer = (program: string, ...args: string[]) =>
  spawnSync(
    'unshare',
    [
      ...['--user', '--map-root-user', '--pid', '--fork', '--mount-proc', '--net', '--ipc'],
      ...[process.execPath, '--input-type=module', '-e', program, ...args],
    ],
    { encoding: 'utf8' },
  )
const canContain = inContainer('').status === 0
let used: string

beforeAll(async () => {
  used = await mkdtemp(join(await quickDirectory(), 'outrider-embedded-'))
  await (await startPostgres({ dataDir: used, log })).stop()
})
afterAll(() => rm(used, { recursive: true, force: true, maxRetries: 20 }))

describe('start and stop', () => {
  test('the first start makes the database, the next ones find it as it was left', async () => {
    const dataDir = await makeDataDir()
    const first = await startPostgres({ dataDir, log })
    await query(first.url, `create table kept as select 'x' as value`)
    await first.stop()
    await using second = await startPostgres({ dataDir, log })
    expect(second.url).toBe(first.url)
    expect(await query(second.url, 'select value from kept')).toEqual([{ value: 'x' }])
  })

  test('the database answers on loopback only, in UTF-8, with checksums and durable commits', async () => {
    await using postgres = await startPostgres({ dataDir: await copyDataDir(), log })
    expect(postgres.url).toMatch(/^postgres:\/\/outrider:[\w-]{32}@127\.0\.0\.1:\d+\/outrider$/)
    const rows = await query(
      postgres.url,
      `select name, setting from pg_settings
       where name = any('{listen_addresses,unix_socket_directories,data_checksums,fsync,synchronous_commit,server_encoding}')`,
    )
    expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      data_checksums: 'on',
      fsync: 'on',
      synchronous_commit: 'on',
      server_encoding: 'UTF8',
    })
    expect(await query(postgres.url, `select upper('ä') as folded`)).toEqual([{ folded: 'Ä' }])
  })

  test('nobody else can read the password or the data', async () => {
    const dataDir = await makeDataDir()
    await using _ = await startPostgres({ dataDir, log })
    const modes = ['url', 'data', 'server.log'].map(async (name) => {
      return (await stat(join(dataDir, 'postgres', name))).mode & 0o777
    })
    expect(await Promise.all(modes)).toEqual([0o600, 0o700, 0o600])
  })

  test('a start that is called off leaves no server and no half-made database', async () => {
    const dataDir = await makeDataDir()
    const calledOff = new AbortController()
    const options = { dataDir, log, signal: calledOff.signal }
    const starting = startPostgres(options)
    calledOff.abort()
    await expect(starting).rejects.toThrow(/abort/i)
    expect(await readdir(dataDir)).toEqual([])
    await (await startPostgres({ dataDir, log })).stop()
    await expect(startPostgres(options)).rejects.toThrow(/abort/i)
    expect(await findPostmaster(clusterAt(dataDir))).toBeUndefined()
  })

  test.each(['empty', 'missing'])('a %s file of the address is told by its name', async (what) => {
    const dataDir = await copyDataDir()
    const { urlFile } = clusterAt(dataDir)
    await (what === 'empty' ? writeFile(urlFile, '') : rm(urlFile))
    await expect(startPostgres({ dataDir, log })).rejects.toThrow(`${urlFile} is missing or empty`)
  })

  test('a disk that is full at the first start is told in words, and nothing is left on it', async () => {
    const folder = await makeDataDir()
    const initdb = join(folder, 'initdb')
    const lines = [
      'initdb: error: could not write to file "base/1/2": No space left on device',
      'initdb: removing contents of data directory',
    ]
    await writeFile(initdb, `#!/bin/sh\nprintf '%s\\n' '${lines.join("' '")}' >&2\nexit 1\n`)
    await Promise.all([chmod(folder, 0o711), chmod(initdb, 0o755)])
    const cluster = clusterAt(join(folder, 'data'))
    const making = createCluster(cluster, { ...requirePrograms(), initdb }, { durable: false })
    await expect(making).rejects.toThrow(/DATA_DIR .*: the disk is full; make room\.$/)
    expect(await readdir(cluster.dataDir)).toEqual([])
  })

  test.runIf(process.platform === 'linux')(
    'a start that ends on a full disk says so, although PostgreSQL cannot',
    async () => {
      const dataDir = await copyDataDir()
      const cluster = { ...clusterAt(dataDir), logFile: '/dev/null' }
      const programs = requirePrograms()
      const launcher = await openCluster(cluster, programs)
      const starting = (place: string) =>
        startPostmaster({ ...cluster, dataDir: place }, launcher, programs.postgres, ['--nonsense'])
      await expect(starting(dataDir)).rejects.toThrow('it wrote no reason into /dev/null.')
      // A file system without a free block.
      await expect(starting('/proc')).rejects.toThrow(
        'The disk of DATA_DIR /proc is full: make room',
      )
    },
  )

  test('what a killed first start left behind does no harm and is removed', async () => {
    const dataDir = await makeDataDir()
    await mkdir(join(dataDir, 'postgres.new-killed/data'), { recursive: true })
    await using _ = await startPostgres({ dataDir, log })
    expect(await readdir(dataDir)).toEqual(['postgres'])
  })

  test('a port that somebody took is replaced by another', async () => {
    const dataDir = await copyDataDir()
    const before = await readUrl(clusterAt(dataDir))
    const stranger = createServer().listen(Number(before.port), '127.0.0.1')
    onTestFinished(() => void stranger.close())
    await once(stranger, 'listening')
    await using postgres = await startPostgres({ dataDir, log })
    expect(new URL(postgres.url).port).not.toBe(before.port)
    expect(await findRunning(dataDir)).toBe(postgres.url)
  })

  test.runIf(process.geteuid?.() === 0)(
    'the address and the log stay with the user whose database it is when root starts it',
    async () => {
      const dataDir = await copyDataDir()
      const { urlFile, logFile } = clusterAt(dataDir)
      // As in a backup that was put back.
      await rm(logFile)
      const { port } = await readUrl(clusterAt(dataDir))
      await chown(urlFile, nobody.uid, nobody.gid)
      await (await startPostgres({ dataDir, log })).stop()
      for (const file of [urlFile, logFile]) expect(await stat(file)).toMatchObject(nobody)
      // It is written anew with another port.
      const stranger = createServer().listen(Number(port), '127.0.0.1')
      onTestFinished(() => void stranger.close())
      await once(stranger, 'listening')
      await (await startPostgres({ dataDir, log })).stop()
      expect((await readUrl(clusterAt(dataDir))).port).not.toBe(port)
      expect(await stat(urlFile)).toMatchObject(nobody)
    },
  )

  test.runIf(canStepDown)('an ordinary user can start it too', async () => {
    const dataDir = await makeDataDir()
    await chown(dataDir, nobody.uid, nobody.gid)
    const { url } = await startOwner(dataDir, nobody)
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
    expect((await stat(join(dataDir, 'postgres/data'))).uid).toBe(nobody.uid)
  })
})

describe('one server for each DATA_DIR', () => {
  test('a second one is refused and the first goes on', async () => {
    const dataDir = await copyDataDir()
    await using first = await startPostgres({ dataDir, log })
    await expect(startPostgres({ dataDir, log })).rejects.toThrow(
      new RegExp(
        `^Another Outrider already runs on DATA_DIR ${dataDir} \\("outrider.*", process ${process.pid} on ${hostname()}\\): stop it, or let it end if it is a command, or set DATA_DIR to another directory\\.$`,
      ),
    )
    expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test.runIf(process.platform === 'linux')(
    'who is refused where the disk is full is told to make room, and not to set another directory',
    async () => {
      // A file system without a free block.
      const { message } = await alreadyServed(clusterAt('/proc'))
      expect(message).toMatch(/^Another Outrider already runs on DATA_DIR \/proc\. .* make room/)
    },
  )

  test.runIf(canContain)(
    'one in another container, which sees neither process nor port of the first, is refused',
    async () => {
      const dataDir = await copyDataDir()
      await using first = await startPostgres({ dataDir, log })
      const program = `
        import { startPostgres } from ${JSON.stringify(new URL('index.ts', import.meta.url))}
        const log = { info() {}, warn() {}, error() {} }
        await startPostgres({ dataDir: process.argv[1], log })
          .then(() => console.log('started'), ({ message }) => console.log(message))
        process.exit()`
      const { stdout, stderr } = inContainer(program, dataDir)
      expect(stdout, stderr).toContain(`Another Outrider already runs on DATA_DIR ${dataDir}`)
      expect(await findPostmaster(clusterAt(dataDir))).toBeDefined()
      expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }])
    },
  )

  test.each(['another is stopping', 'another is stopping and has lost its server meanwhile'])(
    'who starts while %s waits for it',
    async (what) => {
      const dataDir = await copyDataDir()
      const stopping = new AbortController()
      const first = await startPostgres({ dataDir, log, signal: stopping.signal })
      stopping.abort()
      if (what.includes('lost')) {
        process.kill(Number(await findPostmaster(clusterAt(dataDir))), 'SIGKILL')
        await vi.waitUntil(async () => !(await findRunning(dataDir)), patience)
      }
      const note = join(dataDir, 'postgres', 'lock')
      await vi.waitUntil(async () => (await readFile(note, 'utf8')).includes('stopping'), patience)
      const waiting = Promise.withResolvers<void>()
      const info = vi.fn((...line: unknown[]) => {
        if (line[1] === 'waiting for another Outrider that is stopping') waiting.resolve()
      })
      const starting = startPostgres({ dataDir, log: { ...log, info } })
      await Promise.race([waiting.promise, starting])
      const rows = await vi.waitFor(() => query(first.url, 'select 1 as one'), patience)
      expect(rows).toEqual([{ one: 1 }])
      await first.stop()
      await using second = await starting
      expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }])
    },
  )

  test('of several first starts at once exactly one succeeds', async () => {
    const dataDir = await makeDataDir()
    const starts = await Promise.allSettled([1, 2, 3].map(() => startPostgres({ dataDir, log })))
    const started = starts.filter((start) => start.status === 'fulfilled')
    const refused = starts.filter((start) => start.status === 'rejected')
    await Promise.all(started.map(({ value }) => value.stop()))
    expect(started).toHaveLength(1)
    for (const { reason } of refused) expect(reason.message).toMatch(/^Another Outrider already/)
  })

  test('the lock is taken again when its session breaks', async () => {
    const dataDir = await copyDataDir()
    await using postgres = await startPostgres({ dataDir, log })
    const holder = `select pid from pg_locks where locktype = 'advisory' and granted`
    const [before] = await query(postgres.url, holder)
    await query(postgres.url, `select pg_terminate_backend(${before?.pid})`)
    await vi.waitFor(async () => {
      const [now] = await query(postgres.url, holder)
      expect(now?.pid).toBeTypeOf('number')
      expect(now?.pid).not.toBe(before?.pid)
    }, patience)
    await expect(startPostgres({ dataDir, log })).rejects.toThrow('Another Outrider already')
  })
})

describe('kills', () => {
  test('killing the owner loses nothing and does not block the next start', async () => {
    const dataDir = await copyDataDir()
    for (const round of [1, 2, 3]) {
      const owner = await startOwner(dataDir)
      if (round === 1) await query(owner.url, 'create table kept (round int)')
      await query(owner.url, `insert into kept values (${round})`)
      owner.process.kill('SIGKILL')
    }
    await using postgres = await startPostgres({ dataDir, log })
    const rows = await query(postgres.url, 'select round from kept order by round')
    expect(rows.map(({ round }) => round)).toEqual([1, 2, 3])
  })

  test.runIf(process.platform === 'linux')('the server stops cleanly with its owner', async () => {
    const dataDir = await copyDataDir()
    const owner = await startOwner(dataDir)
    owner.process.kill('SIGKILL')
    await vi.waitUntil(async () => !(await findPostmaster(clusterAt(dataDir))), patience)
    // The last line is written by another of its processes than the one that was waited for.
    await vi.waitUntil(async () => {
      const text = await readFile(clusterAt(dataDir).logFile, 'utf8')
      return text.trimEnd().endsWith('database system is shut down')
    }, patience)
  })

  test('Ctrl-C in the terminal is for the owner: the server waits for it', async () => {
    const dataDir = await copyDataDir()
    const owner = await startOwner(dataDir, { detached: true })
    const server = await findPostmaster(clusterAt(dataDir))
    process.kill(-Number(owner.process.pid), 'SIGINT')
    expect(await owner.nextLine()).toBe('interrupted')
    expect(await query(owner.url, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(await findPostmaster(clusterAt(dataDir))).toBe(server)
  })

  test('a server that survived its owner is stopped and replaced', async () => {
    const dataDir = await copyDataDir()
    const survivor = await startSurvivor(dataDir)
    await using postgres = await startPostgres({ dataDir, log })
    await survivor.exited
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test.runIf(canHide)('a server that /proc hides is not taken for one that is gone', async () => {
    const dataDir = await copyDataDir()
    await using _ = await startPostgres({ dataDir, log })
    const pid = await findPostmaster(clusterAt(dataDir))
    const program = `
      import { clusterAt } from ${JSON.stringify(new URL('cluster.ts', import.meta.url))}
      import { findPostmaster } from ${JSON.stringify(new URL('postmaster.ts', import.meta.url))}
      process.stdout.write(String(await findPostmaster(clusterAt(process.argv[1]))))`
    const { stdout, stderr } = runWithoutEntry(pid, program, dataDir)
    expect(stdout, stderr).toBe(String(pid))
  })

  test('a killed server comes back at the same address with all that was committed', async () => {
    const dataDir = await copyDataDir()
    await using postgres = await startPostgres({ dataDir, log })
    await query(postgres.url, `create table kept as select 'x' as value`)
    const pid = await findPostmaster(clusterAt(dataDir))
    process.kill(Number(pid), 'SIGKILL')
    const rows = await vi.waitFor(() => query(postgres.url, 'select value from kept'), patience)
    expect(rows).toEqual([{ value: 'x' }])
    await vi.waitFor(
      () => expect(startPostgres({ dataDir, log })).rejects.toThrow('Another Outrider already'),
      patience,
    )
  })

  const leftBehind: [string, (data: string) => string][] = [
    ['of a process that is gone', (data) => pidFile(spawnSync('true').pid, data)],
    ['with the number of another process', (data) => pidFile(startStranger(), data)],
    ['that is empty', () => ''],
    ['that ends in its first line', () => '1'],
    ['in another format', () => 'PID=1\n\0\0\0\0'],
  ]
  test.each(leftBehind)('after a power loss a pid file %s blocks no start', async (_what, text) => {
    const dataDir = await copyDataDir()
    const { data } = clusterAt(dataDir)
    await writeFile(join(data, 'postmaster.pid'), text(data), { mode: 0o600 })
    // A start that takes the file for a server's waits for it for a minute.
    await using postgres = await startPostgres({
      dataDir,
      log,
      signal: AbortSignal.timeout(20_000),
    })
    expect(await query(postgres.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test.runIf(canStepDown)(
    "after a power loss a pid file with the number of another user's process blocks no start",
    async () => {
      const dataDir = await makeDataDir()
      await chown(dataDir, nobody.uid, nobody.gid)
      await startAndEnd(dataDir, nobody)
      const { data } = clusterAt(dataDir)
      await writeFile(join(data, 'postmaster.pid'), pidFile(1, data), { mode: 0o600 })
      await chown(join(data, 'postmaster.pid'), nobody.uid, nobody.gid)
      const { url } = await startOwner(dataDir, nobody)
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }])
    },
  )
})

describe('findRunning', () => {
  test('names the database while it runs, and nothing before and after', async () => {
    const dataDir = await makeDataDir()
    expect(await findRunning(dataDir)).toBeUndefined()
    const postgres = await startPostgres({ dataDir, log })
    expect(await findRunning(dataDir)).toBe(postgres.url)
    await postgres.stop()
    expect(await findRunning(dataDir)).toBeUndefined()
  })

  test('a copied DATA_DIR does not lead to the server of the original', async () => {
    const dataDir = await copyDataDir()
    await using _ = await startPostgres({ dataDir, log })
    const copy = await makeDataDir()
    await cp(dataDir, copy, { recursive: true })
    expect(await findRunning(copy)).toBeUndefined()
  })
})

test('no value of a failing statement reaches a log', async () => {
  const dataDir = await copyDataDir()
  await using postgres = await startPostgres({ dataDir, log })
  await query(postgres.url, `create table people (email text unique, age int check (age > 0))`)
  await query(postgres.url, `insert into people values ('hidden@example.com', 1)`)
  const failing = [
    `select 'hidden'::int`,
    `insert into people values ('hidden@example.com', 1)`,
    `insert into people values ('hidden', -1)`,
    `select hidden`,
    `do $$ begin raise warning 'hidden'; end $$`,
    `select 'hidden', pg_terminate_backend(pg_backend_pid())`,
  ]
  for (const statement of failing) await query(postgres.url, statement).catch(() => undefined)
  await query(postgres.url.replace(/outrider:/, 'hidden:'), 'select 1').catch(() => undefined)

  const victim = new pg.Client(postgres.url)
  victim.on('error', () => undefined)
  await victim.connect()
  const { rows } = await victim.query('select pg_backend_pid() as pid')
  const dying = victim.query(`select 'hidden', pg_sleep(60)`).catch(() => undefined)
  const running = `select from pg_stat_activity where pid = ${rows[0].pid} and query like '%sleep%'`
  await vi.waitFor(async () => expect(await query(postgres.url, running)).toHaveLength(1), patience)
  process.kill(rows[0].pid, 'SIGKILL')
  await dying
  await vi.waitFor(() => query(postgres.url, 'select 1'), patience)

  const text = await readFile(clusterAt(dataDir).logFile, 'utf8')
  expect(text).toContain('was terminated by signal 9')
  expect(text.replace(/user "hidden"/g, '')).not.toContain('hidden')
  const lines = Object.values(log).flatMap(({ mock }) => mock.calls)
  expect(JSON.stringify(lines)).not.toContain('hidden')
})

async function makeDataDir(): Promise<string> {
  const dataDir = await mkdtemp(join(await quickDirectory(), 'outrider-embedded-'))
  onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
  return dataDir
}

/** A database that was started and stopped before. */
async function copyDataDir(): Promise<string> {
  const dataDir = await makeDataDir()
  await promisify(execFile)('cp', ['-a', `${used}/.`, dataDir])
  return dataDir
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(statement)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** A process of its own that serves the directory until it is killed. */
async function startOwner(dataDir: string, options: SpawnOptions = {}) {
  const code = `
    import { startPostgres } from ${JSON.stringify(new URL('index.ts', import.meta.url))}
    process.on('SIGINT', () => console.log('interrupted'))
    const log = { info() {}, warn() {}, error() {} }
    console.log((await startPostgres({ dataDir: process.argv[1], log })).url)`
  const owner: ChildProcess = spawn(
    process.execPath,
    ['--input-type=module', '-e', code, '--', dataDir],
    { stdio: ['ignore', 'pipe', 'inherit'], ...options },
  )
  onTestFinished(async () => {
    owner.kill('SIGKILL')
    await vi.waitUntil(async () => !(await findPostmaster(clusterAt(dataDir))), patience)
  })
  if (!owner.stdout) throw new Error('The owner has no output.')
  const lines = createInterface(owner.stdout)[Symbol.asyncIterator]()
  const nextLine = async () => String((await lines.next()).value)
  return { process: owner, url: await nextLine(), nextLine }
}

async function startAndEnd(dataDir: string, options: SpawnOptions) {
  const owner = await startOwner(dataDir, options)
  owner.process.kill('SIGKILL')
  await vi.waitUntil(async () => !(await findPostmaster(clusterAt(dataDir))), patience)
}

function startStranger(): number {
  const stranger = spawn('sleep', ['60'])
  onTestFinished(() => void stranger.kill('SIGKILL'))
  return Number(stranger.pid)
}

/** As PostgreSQL writes it when it is ready. */
const pidFile = (pid: number, data: string) =>
  [pid, data, 1_700_000_000, 5432, '', '127.0.0.1', '', 'ready', ''].join('\n')

/** A server nobody holds, as it is left where the kernel does not stop it with its owner. */
async function startSurvivor(dataDir: string) {
  const cluster = clusterAt(dataDir)
  const programs = requirePrograms()
  const launcher = await openCluster(cluster, programs)
  const settings = serverSettings(await choosePort(), true, 10 ** 12)
  return startPostmaster(cluster, launcher, programs.postgres, settings)
}
