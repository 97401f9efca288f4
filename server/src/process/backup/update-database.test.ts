import { chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, onTestFinished, test, vi } from 'vitest'
import { makeDataDir, makeDataDirWithDatabase } from '../../../test/processes.ts'
import { readConfig } from '../../config.ts'
import { connect } from '../../kernel/db/db.ts'
import { migrationNames } from '../../kernel/db/migrate.ts'
import { readMigrationGap } from '../../kernel/db/migration-gap.ts'
import { startPostgres } from '../../kernel/postgres/index.ts'
import { checkArchive } from './archive.ts'
import { restoreBackup } from './backup.ts'
import { updateDatabase } from './update-database.ts'

const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn(), fatal: vi.fn() }
const last = migrationNames().at(-1) ?? ''

/** An embedded database of the version before this one, as far as its list of migrations tells. */
async function olderDatabase() {
  const config = readConfig({ DATA_DIR: await makeDataDirWithDatabase() })
  const postgres = await startPostgres({ dataDir: config.dataDir, log })
  onTestFinished(() => postgres.stop())
  const { db } = connect(postgres.url, 1)
  onTestFinished(() => db.destroy())
  const makeOlder = () => sql`delete from migrations where name = ${last}`.execute(db)
  await makeOlder()
  const apply = async () => {
    await sql`insert into migrations values (${last}, outrider_now())`.execute(db)
    return [last]
  }
  const update = { db, url: postgres.url, log, migrate: apply }
  const backups = () => readdir(join(config.dataDir, 'backups')).catch(() => undefined)
  return { config, update, makeOlder, backups }
}

test('before the database is updated it is backed up, the log names the backup as it is kept, and the last two are kept', async () => {
  const { config, update, makeOlder, backups } = await olderDatabase()
  const before: string[] = []
  for (const count of [1, 2, 2]) {
    expect(await updateDatabase(config, update)).toEqual([last])
    const names = (await backups()) ?? []
    expect(names).toHaveLength(count)
    for (const name of names) expect(name).toMatch(/^before-update-[-0-9TZ.]+\.tar$/)
    before.unshift(names.toSorted().at(-1) ?? '')
    const file = join(config.dataDir, 'backups', before[0] ?? '')
    expect(log.info).toHaveBeenCalledWith({ file }, expect.stringContaining('the way back'))
    await makeOlder()
  }
  expect(await backups()).toEqual(before.slice(0, 2).toReversed())

  const restored = readConfig({ DATA_DIR: await makeDataDir() })
  await restoreBackup(restored, join(config.dataDir, 'backups', before[0] ?? ''))
  await using postgres = await startPostgres({ dataDir: restored.dataDir, log })
  const { db } = connect(postgres.url, 1)
  expect(await readMigrationGap(db)).toEqual({ missing: [last], unknown: [] })
  await db.destroy()
})

test('of two updates at once the second waits for the first, and finds nothing to do', async () => {
  const { config, update, backups } = await olderDatabase()
  const midway = Promise.withResolvers<void>()
  const waiting = Promise.withResolvers<void>()
  const first = updateDatabase(config, {
    ...update,
    // Called while the backup is about to be written.
    async findFreeBytes() {
      midway.resolve()
      await waiting.promise
      return 1024 ** 4
    },
  })
  await midway.promise
  const warn = (_fields: object, message?: string) => {
    if (message === 'waiting for another process that updates the database') waiting.resolve()
  }
  const second = updateDatabase(config, {
    ...{ ...update, log: { ...log, warn }, migrate: async () => [] },
    async findFreeBytes() {
      waiting.resolve()
      return 1024 ** 4
    },
  })
  expect(await Promise.all([first, second])).toEqual([[last], []])
  const names = (await backups()) ?? []
  expect(names).toEqual([expect.stringMatching(/^before-update-/)])
  await checkArchive(join(config.dataDir, 'backups', names[0] ?? ''))
})

test('an update that fails and is tried again keeps the backup from before its first try', async () => {
  const { config, update, backups } = await olderDatabase()
  const fail = async () => {
    throw new Error('cannot be applied')
  }
  const made = () => stat(join(config.dataDir, 'backups', 'update-under-way.tar'))
  await expect(updateDatabase(config, { ...update, migrate: fail })).rejects.toThrow('applied')
  const { ino } = await made()
  await expect(updateDatabase(config, { ...update, migrate: fail })).rejects.toThrow('applied')
  expect((await made()).ino).toBe(ino)
  await updateDatabase(config, update)
  expect(await backups()).toEqual([expect.stringMatching(/^before-update-/)])
})

test('without room for the backup the database is left as it is', async () => {
  const { config, update, backups } = await olderDatabase()
  const findFreeBytes = async () => 1024 ** 2
  await expect(updateDatabase(config, { ...update, findFreeBytes })).rejects.toThrow(
    /needs up to \d+ MiB, and 1 MiB are free. Make room; or .* migrate --no-backup/,
  )
  expect((await readMigrationGap(update.db)).missing).toEqual([last])
  expect(await backups()).toEqual([])
})

test('what a backup that was broken off has left is not counted as room that is taken', async () => {
  const { config, update, backups } = await olderDatabase()
  const folder = join(config.dataDir, 'backups')
  await mkdir(folder)
  await writeFile(join(folder, 'update-under-way.tar.partial'), 'half of it')
  const findFreeBytes = async () => ((await readdir(folder)).length === 0 ? 1024 ** 4 : 0)
  expect(await updateDatabase(config, { ...update, findFreeBytes })).toEqual([last])
  expect(await backups()).toEqual([expect.stringMatching(/^before-update-/)])
})

test.runIf(process.geteuid?.() === 0)(
  'a backup that root makes belongs to the user whose database it is',
  async () => {
    const { config, update, backups } = await olderDatabase()
    const nobody = 65_534
    await chown(join(config.dataDir, 'postgres/url'), nobody, nobody)
    await updateDatabase(config, update)
    const [name = ''] = (await backups()) ?? []
    for (const path of ['backups', `backups/${name}`]) {
      expect(await stat(join(config.dataDir, path))).toMatchObject({ uid: nobody, gid: nobody })
    }
  },
)

test('a database that is new or up to date is not backed up', async () => {
  const { config, update, backups } = await olderDatabase()
  await update.migrate()
  await updateDatabase(config, { ...update, migrate: async () => [] })
  await sql`delete from migrations`.execute(update.db)
  await updateDatabase(config, { ...update, migrate: async () => [] })
  expect(await backups()).toBeUndefined()
})
