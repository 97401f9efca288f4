import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openClient } from '../../kernel/db/open-client.ts'
import { ifMissing } from '../../kernel/files.ts'

/** What a base backup consists of, below PostgreSQL's data directory. */
export interface BaseBackupSink {
  directory: (path: string) => Promise<void>
  file: (path: string, size: number, chunks: AsyncIterable<Buffer> | Buffer[]) => Promise<void>
}

/**
 * Copies the files of a running server so that a start on the copy recovers to the moment of the
 * end (PostgreSQL's documentation, "Making a Base Backup Using the Low Level API"): between
 * pg_backup_start and pg_backup_stop, with the label, and with the WAL of that time, which a slot
 * keeps from being removed.
 *
 * @param url of the server, as a superuser
 * @param data its data directory, readable here
 */
export async function copyRunning(url: string, data: string, sink: BaseBackupSink): Promise<void> {
  const client = await openClient(url, 'outrider backup')
  const ask = async (text: string, values: unknown[] = []) =>
    (await client.query(text, values)).rows[0] as Record<string, string>
  try {
    // Temporary: it ends with this session, whatever becomes of it.
    await ask('select pg_create_physical_replication_slot($1, true, true)', [
      `outrider_backup_${process.pid}`,
    ])
    const { first = '' } = await ask(
      `select pg_walfile_name(pg_backup_start('outrider backup', true)) as first`,
    )
    await copyFiles(data, sink)
    const { label = '', last = '' } = await ask(
      'select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(false)',
    )
    await sink.file('backup_label', Buffer.byteLength(label), [Buffer.from(label)])
    await copyWal(join(data, 'pg_wal'), first, last, sink)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Directories whose content a start makes anew, or must not find. */
const emptied = new Set([
  ...['pg_dynshmem', 'pg_notify', 'pg_replslot', 'pg_serial', 'pg_snapshots', 'pg_stat_tmp'],
  ...['pg_subtrans', 'pg_wal'],
])
const leftOut = /^(postmaster\.(pid|opts)|pg_internal\.init.*|pgsql_tmp.*|backup_label)$/
/** Last of all files: a copy that is older than the pages beside it would be recovered from too late. */
const control = 'global/pg_control'

async function copyFiles(data: string, sink: BaseBackupSink) {
  await copyDirectory(data, '', sink)
  await copyFile(data, control, sink)
}

async function copyDirectory(data: string, path: string, sink: BaseBackupSink) {
  // What is dropped since it was listed needs no copy.
  const found = await readdir(join(data, path), { withFileTypes: true }).catch(ifMissing)
  for (const entry of found ?? []) {
    const inside = path === '' ? entry.name : `${path}/${entry.name}`
    if (leftOut.test(entry.name) || inside === control) continue
    if (!entry.isDirectory()) await copyFile(data, inside, sink)
    else {
      await sink.directory(inside)
      if (!emptied.has(inside)) await copyDirectory(data, inside, sink)
    }
  }
}

async function copyWal(wal: string, first: string, last: string, sink: BaseBackupSink) {
  const names = (await readdir(wal)).filter(
    (name) => /^[0-9A-F]{24}$/.test(name) && name >= first && name <= last,
  )
  if (!names.includes(first) || !names.includes(last)) {
    throw new Error('PostgreSQL removed WAL that the backup needs: make it again.')
  }
  for (const name of names.sort()) await copyFile(wal, name, sink, `pg_wal/${name}`)
}

/** As long as it is now: what is added meanwhile comes from the WAL, what is cut off is not needed. */
async function copyFile(folder: string, path: string, sink: BaseBackupSink, as = path) {
  const handle = await open(join(folder, path)).catch(ifMissing)
  if (!handle) return
  try {
    const { size } = await handle.stat()
    await sink.file(as, size, chunksOf(handle, size))
  } finally {
    await handle.close()
  }
}

const chunkSize = 1024 * 1024

async function* chunksOf(handle: Awaited<ReturnType<typeof open>>, size: number) {
  for (let position = 0; position < size; ) {
    const chunk = Buffer.alloc(Math.min(chunkSize, size - position))
    await handle.read(chunk, 0, chunk.length, position)
    position += chunk.length
    yield chunk
  }
}
