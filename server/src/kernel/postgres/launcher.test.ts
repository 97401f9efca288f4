import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { quickDirectory } from '../../../test/quick-directory.ts'
import { clusterAt } from './cluster.ts'
import { startPostgres } from './index.ts'
import { programEnvironment } from './launcher.ts'
import { findPostmaster } from './postmaster.ts'

const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
const isRoot = process.geteuid?.() === 0
const nobody = { uid: 65_534, gid: 65_534 }
// In a checkout below root's own home nobody else reaches the programs.
const isPublic = isRoot && spawnSync(process.execPath, ['--version'], nobody).status === 0

interface Case {
  system: string
  tools: string[]
  parent: 'public' | 'private'
  root: boolean
  capabilities: number
}

const privateCases: Case[] = [
  { system: 'with user namespaces', tools: [], parent: 'private', root: true, capabilities: 0 },
  // CAP_DAC_OVERRIDE is number 1.
  { system: 'without them', tools: ['unshare'], parent: 'private', root: false, capabilities: 2 },
]
const publicCases: Case[] = [
  { system: 'without them', tools: ['unshare'], parent: 'public', root: false, capabilities: 0 },
  {
    system: 'without tools',
    tools: ['unshare', 'setpriv'],
    parent: 'public',
    root: false,
    capabilities: 0,
  },
]

test.runIf(isRoot).each([...privateCases, ...(isPublic ? publicCases : [])])(
  'root starts it $system below a $parent directory',
  async (expected) => {
    await without(expected.tools)
    const dataDir = await makeDataDir(expected.parent)
    for (const start of ['first', 'second']) {
      await using postgres = await startPostgres({ dataDir, log })
      expect(await canQuery(postgres.url), start).toBe(true)
      const { uid } = await stat(join(dataDir, 'postgres/data'))
      expect(uid === 0, start).toBe(expected.root)
      const status = await readFile(
        `/proc/${await findPostmaster(clusterAt(dataDir))}/status`,
        'utf8',
      )
      expect(status.match(/Uid:\t(\d+)/)?.[1], start).toBe(String(uid))
      expect(Number.parseInt(status.match(/CapEff:\t(\w+)/)?.[1] ?? '', 16)).toBe(
        expected.capabilities,
      )
    }
  },
)

test.runIf(isRoot)(
  "a database with root's files, as of a backup, starts without user namespaces, too",
  async () => {
    const dataDir = await makeDataDir('private')
    await (await startPostgres({ dataDir, log })).stop()
    const { data } = clusterAt(dataDir)
    expect((await stat(data)).uid).toBe(0)
    await without(['unshare'])
    for (const start of ['first', 'second']) {
      await using postgres = await startPostgres({ dataDir, log })
      expect(await canQuery(postgres.url), start).toBe(true)
      for (const path of [data, join(data, 'global/pg_control')]) {
        expect((await stat(path)).uid, start).not.toBe(0)
      }
    }
  },
)

test.runIf(isRoot)('where root has no way, the message says what to do', async () => {
  await without(['unshare', 'setpriv'])
  const dataDir = await makeDataDir('private')
  await expect(startPostgres({ dataDir, log })).rejects.toThrow(
    `PostgreSQL refuses to run as root, and this system allows no way to run it as another user in DATA_DIR ${dataDir}`,
  )
})

/** A system that lacks these tools, which is also where one without namespaces ends up. */
async function without(tools: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'outrider-tools-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }))
  for (const tool of ['unshare', 'setpriv'].filter((name) => !tools.includes(name))) {
    await symlink(`/usr/bin/${tool}`, join(folder, tool))
  }
  const { PATH } = programEnvironment
  onTestFinished(() => void Object.assign(programEnvironment, { PATH }))
  programEnvironment.PATH = folder
}

async function makeDataDir(access: Case['parent']): Promise<string> {
  const parent = await mkdtemp(join(await quickDirectory(), 'outrider-launcher-'))
  onTestFinished(() => rm(parent, { recursive: true, force: true, maxRetries: 20 }))
  await chmod(parent, access === 'private' ? 0o700 : 0o755)
  return join(parent, 'data')
}

async function canQuery(url: string): Promise<boolean> {
  const client = new pg.Client(url)
  await client.connect()
  const { rowCount } = await client.query('select 1')
  await client.end()
  return rowCount === 1
}
