import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/**
 * Where tests put databases: in memory where there is room, since making one writes and flushes a
 * thousand files.
 */
export async function quickDirectory(): Promise<string> {
  const memory = '/dev/shm'
  const free = await statfs(memory).catch(() => undefined)
  return free && free.bavail * free.bsize > 4 * 1024 ** 3 ? memory : tmpdir()
}
