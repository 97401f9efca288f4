/**
 * PostgreSQL's settings, given on its command line at every start so that an older data directory
 * gets them too.
 *
 * @param diskBytes size of the disk that the data lies on
 */
export function serverSettings(port: number, durable: boolean, diskBytes: number): string[] {
  const max_wal_size = `${walMegabytes(diskBytes)}MB`
  const max_slot_wal_keep_size = `${slotMegabytes(diskBytes)}MB`
  const sizes = { max_wal_size, max_slot_wal_keep_size }
  const settings = { ...base, ...sizes, port, ...(durable ? {} : forgetful) }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

const base = {
  listen_addresses: '127.0.0.1',
  // Socket paths end at 107 bytes; a checkout may lie deeper.
  unix_socket_directories: '',
  max_connections: 200,
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',

  // An error's text, its DETAIL and the statement can quote values: none of them is written.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: -1,

  // Every commit is on disk before it is answered; checkpoints are rarer and WAL smaller.
  synchronous_commit: 'on',
  wal_compression: 'on',
  checkpoint_timeout: '10min',

  // Short statements on local disks; queue tables need the vacuum often.
  jit: 'off',
  random_page_cost: 1.1,
  autovacuum_naptime: '15s',
}

/** A twentieth of the disk, so that a small one is not filled by WAL; beyond 2 GB it makes nothing faster. */
const walMegabytes = (diskBytes: number) =>
  Math.max(256, Math.min(2048, Math.floor(diskBytes / 20 / 1024 ** 2)))

/** What a copy may fall behind, or be away for: its slot keeps no more, and the disk is not filled by it. */
const slotMegabytes = (diskBytes: number) =>
  Math.max(1024, Math.min(65_536, Math.floor(diskBytes / 5 / 1024 ** 2)))

const forgetful = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
