import { statfs } from 'node:fs/promises'

/** Below it PostgreSQL may find no room for its next file of WAL (16 MB) beside what is being written. */
const bytesMin = 64 * 1024 ** 2

export async function findLowDisk(dataDir: string): Promise<string | undefined> {
  const { bavail, bsize } = await statfs(dataDir)
  if (bavail * bsize >= bytesMin) return undefined
  return `The disk of DATA_DIR ${dataDir} is full: make room, or nothing can be written.`
}
