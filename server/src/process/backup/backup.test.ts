import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  copyFile,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { makeDataDir, operatorJson, program, runOperator } from '../../../test/processes.ts'
import { quickDirectory } from '../../../test/quick-directory.ts'
import { share } from '../../../test/thoroughness.ts'
import { type Config, readConfig } from '../../config.ts'
import { readMajorVersion, startPostgres } from '../../kernel/postgres/index.ts'
import { writeArchive } from './archive.ts'
import { createBackup, explainFailedCopy, restoreBackup } from './backup.ts'

const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn(), fatal: vi.fn() }
const configOf = (dataDir: string): Config => readConfig({ DATA_DIR: dataDir })
const newFile = async () => join(await makeDataDir(), 'backup.tar')

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(url)
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end().catch(() => undefined))
  return client
}

const countsOf = async (url: string) => {
  const client = await connect(url)
  const { rows } = await client.query(
    `select (select count(*)::int from orders) as orders,
      (select count(*)::int from lines) as lines, (select max(id)::int from orders) as last`,
  )
  await client.end()
  return rows[0]
}

const rounds = share(3)

test('backups under load, with checkpoints meanwhile, restore to a moment that was', async () => {
  const dataDir = await makeDataDir()
  await using postgres = await startPostgres({ dataDir, log })
  const client = await connect(postgres.url)
  await client.query(`
    create table orders (id bigserial primary key, filling text);
    create table lines (order_id bigint);
    insert into orders (filling) select repeat(md5(n::text), 30) from generate_series(1, 30000) n;
    insert into lines select id from orders`)
  let isOver = false
  // Beside what it asks for it rests: as fast as it can it fills gigabytes of journal, which only
  // make the copies long.
  const unto = async (text: string, restSeconds = 0) => {
    const own = await connect(postgres.url)
    while (!isOver) {
      await own.query(text)
      await own.query('select pg_sleep($1)', [restSeconds])
    }
  }
  const order = `with made as (insert into orders (filling) values (repeat('x', 2000)) returning id)
    insert into lines select id from made`
  const load = Promise.all([
    ...[unto(order), unto(order), unto('checkpoint', 0.1), unto('select pg_switch_wal()', 0.5)],
    unto(`update orders set filling = filling || 'y' where id % 1000 = 1 + (random() * 900)::int`),
  ])
  try {
    for (let round = 1; round <= rounds; round++) {
      const before = await countsOf(postgres.url)
      const file = await newFile()
      await createBackup(configOf(dataDir), file, log)
      const after = await countsOf(postgres.url)
      const copy = configOf(await makeDataDir())
      await restoreBackup(copy, file)
      await using restored = await startPostgres({ dataDir: copy.dataDir, log })
      const counts = await countsOf(restored.url)
      expect(counts.lines).toBe(counts.orders)
      expect(counts.orders).toBeGreaterThanOrEqual(before.orders)
      expect(counts.orders).toBeLessThanOrEqual(after.orders)
      const check = await connect(restored.url)
      // Reads every page and compares its checksum.
      await check.query('select sum(length(filling)) from orders')
      await check.end()
    }
  } finally {
    isOver = true
    await load
  }
})

describe('a backup that was made of a database that does not run', () => {
  let folder: string
  let dataDir: string
  let file: string
  beforeAll(async () => {
    folder = await mkdtemp(join(await quickDirectory(), 'outrider-backup-'))
    dataDir = join(folder, 'data')
    await (await startPostgres({ dataDir, log })).stop()
    await writeFile(join(dataDir, 'secret.key'), 'the key\n', { mode: 0o600 })
    file = join(folder, 'backup.tar')
    await createBackup(configOf(dataDir), file, log)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('holds the secret key, and nobody else can read it', async () => {
    const copy = await makeDataDir()
    expect(await operatorJson(['backup', 'verify', file], {})).toMatchObject({
      files: expect.any(Number),
    })
    const restored = await operatorJson(['backup', 'restore', file], { DATA_DIR: copy })
    expect(restored).toMatchObject({ data_dir: copy })
    expect(await readFile(join(copy, 'secret.key'), 'utf8')).toBe('the key\n')
    const modes = [file, join(copy, 'secret.key'), join(copy, 'postgres/url')].map(
      async (path) => (await stat(path)).mode & 0o777,
    )
    expect(await Promise.all(modes)).toEqual([0o600, 0o600, 0o600])
    await using _ = await startPostgres({ dataDir: copy, log })
  })

  test('does not claim to hold a key that is in OUTRIDER_SECRET_KEY, beside a file of an older one', async () => {
    const OUTRIDER_SECRET_KEY = randomBytes(32).toString('base64')
    const keyInEnvironment = readConfig({ DATA_DIR: dataDir, OUTRIDER_SECRET_KEY })
    for (const [config, holds_secret_key] of [
      [keyInEnvironment, false],
      [configOf(dataDir), true],
    ] as const) {
      const made = await createBackup(config, await newFile(), log)
      expect(made).toMatchObject({ holds_secret_key })
    }
  })

  test('is not put anywhere while DATABASE_URL says that a start would use another database', async () => {
    const dataDir = await makeDataDir()
    const config = { ...configOf(dataDir), databaseUrl: 'postgres://127.0.0.1/production' }
    await expect(restoreBackup(config, file)).rejects.toThrow('DATABASE_URL is set')
    expect(await readdir(dataDir)).toEqual([])
  })

  test('is not put into a directory that has something in it, nor over another backup', async () => {
    await expect(restoreBackup(configOf(dataDir), file)).rejects.toThrow('is not empty')
    await expect(createBackup(configOf(dataDir), file, log)).rejects.toThrow(`${file} exists`)
  })

  const faults: [string, (path: string) => Promise<unknown>, RegExp][] = [
    ['cut', async (path) => truncate(path, (await stat(path)).size - 20_000), /ends in the middle/],
    ['empty', (path) => truncate(path, 0), /is no tar archive/],
    ['a short text', (path) => writeFile(path, 'notes'), /is no tar archive/],
    ['foreign', (path) => writeFile(path, 'x'.repeat(5000)), /is no tar archive/],
    ['changed', (path) => overwrite(path, 100_000), /damaged/],
    ['of a later layout', raiseFormat, /its layout is unknown here, restore it with Outrider/],
  ]
  test.each(faults)('is refused by its name when it is %s', async (_what, spoil, reason) => {
    const spoilt = await newFile()
    await copyFile(file, spoilt)
    await spoil(spoilt)
    const target = join(await makeDataDir(), 'data')
    const restoring = restoreBackup(configOf(target), spoilt)
    await expect(restoring).rejects.toThrow(`${spoilt} cannot be used: `)
    await expect(restoring).rejects.toThrow(reason)
    await expect(stat(target)).rejects.toThrow('ENOENT')
  })
})

test('a backup that is not on the disk as it was written is no backup: it fails, and leaves no file', async () => {
  const file = await newFile()
  const timestamp = new Date().toISOString()
  const mark = { format: 1, outrider: '0.1.0', postgres: '18', timestamp } as const
  const writing = writeArchive(file, mark, async (archive) => {
    await archive.file('postgres/data/base', 3000, [Buffer.alloc(3000, 'x')])
    await overwrite(`${file}.partial`, 3000)
  })
  await expect(writing).rejects.toThrow('postgres/data/base in it is damaged')
  expect(await readdir(dirname(file))).toEqual([])
})

test('a backup for which the disk has no room names its file', async () => {
  const file = await newFile()
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    ...{ code: 'ENOSPC', syscall: 'write' },
  })
  const mark = { format: 1, outrider: '0.1.0', postgres: '18', timestamp: '2026-01-01' } as const
  const writing = writeArchive(file, mark, () => Promise.reject(full))
  await expect(writing).rejects.toMatchObject({ code: 'ENOSPC', path: `${file}.partial` })
})

test.runIf(process.platform === 'linux')(
  'a backup for whose checkpoint the disk of the database has no room says so',
  async () => {
    const failed = Object.assign(new Error('checkpoint request failed'), { code: 'XX000' })
    // A file system without a free block.
    expect(await explainFailedCopy(failed, '/proc')).toMatchObject({
      ...{ name: 'Error', message: expect.stringContaining('/proc is full: make room') },
    })
    expect(await explainFailedCopy(failed, await makeDataDir())).toBe(failed)
  },
)

test('a backup into a folder that is missing names the folder', async () => {
  const mark = { format: 1, outrider: '0.1.0', postgres: '18', timestamp: '2026-01-01' } as const
  const writing = writeArchive('/nowhere/x.tar', mark, async () => undefined)
  await expect(writing).rejects.toMatchObject({ code: 'ENOENT', path: '/nowhere' })
})

test('a backup of another major version of PostgreSQL is refused by its name', async () => {
  const file = await newFile()
  const timestamp = new Date().toISOString()
  await writeArchive(
    file,
    { format: 1, outrider: '0.1.0', postgres: '9', timestamp },
    async () => {},
  )
  const target = join(await makeDataDir(), 'data')
  const restoring = restoreBackup(configOf(target), file)
  await expect(restoring).rejects.toThrow(/it is of PostgreSQL 9, and this Outrider has/)
  await expect(stat(target)).rejects.toThrow('ENOENT')
})

test('a restore that a disk or a quota cuts short fails, and leaves nothing', async () => {
  const file = await newFile()
  const postgres = await readMajorVersion()
  const mark = { format: 1, outrider: '0.1.0', postgres, timestamp: '2026-01-01' } as const
  const size = 1_500_000
  await writeArchive(file, mark, (archive) =>
    archive.file('postgres/base', size, [Buffer.alloc(size)]),
  )
  const target = join(await makeDataDir(), 'data')
  // In KiB: the last write of the file is taken in part.
  const limited = ['-c', 'ulimit -f 1300; exec "$@"', 'bash', process.execPath, program]
  const NODE_COMPILE_CACHE = inject('compileCache')
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE, DATA_DIR: target }
  const restoring = promisify(execFile)('bash', [...limited, 'backup', 'restore', file], { env })
  const place = join(target, 'restoring', 'base')
  const told = `EFBIG: file too large, write '${place}': neither its disk nor "ulimit -f"`
  await expect(restoring).rejects.toMatchObject({ stderr: expect.stringContaining(told) })
  expect(await readdir(target)).toEqual([])
})

test('a database of DATABASE_URL is backed up by somebody else, and its key belongs to it', async () => {
  const settings = {
    ...{ DATABASE_URL: 'postgres://u:p@127.0.0.1:1/x', DATA_DIR: await makeDataDir() },
  }
  const { code, stderr } = await runOperator(['backup', 'create', 'x'], settings)
  expect(code).toBe(1)
  for (const part of ['pg_dump', 'secret.key']) expect(stderr).toContain(part)
})

/** In the mark, which no sum is of. */
async function raiseFormat(path: string) {
  await using handle = await open(path, 'r+')
  const { buffer } = await handle.read(Buffer.alloc(2000), 0, 2000, 0)
  await handle.write('"format":2', buffer.indexOf('"format":1'))
}

async function overwrite(path: string, position: number) {
  await using handle = await open(path, 'r+')
  const { size } = await handle.stat()
  await handle.write(Buffer.from('spoilt'), 0, 6, Math.min(position, size - 6))
}
