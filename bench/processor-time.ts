import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchService } from './service.ts'

/** Microseconds of processor time, user and system, that a process has used so far; 0 when it is gone. */
export const readTime = async (pid: number): Promise<number> => (await readTimes(pid))?.us ?? 0

/** Of the service's PostgreSQL with all its processes. */
export async function readPostgresTime({ dataDir }: BenchService): Promise<number> {
  const pidFile = join(dataDir, 'postgres', 'data', 'postmaster.pid')
  return readServerTime(Number((await readFile(pidFile, 'utf8')).split('\n')[0]))
}

/** Of a PostgreSQL with all its processes. */
export async function readServerTime(postmaster: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const times = (await Promise.all(pids.map(readTimes))).filter((each) => each !== undefined)
  const own = times.find(({ pid }) => pid === postmaster)
  const backends = times.filter(({ parent }) => parent === postmaster)
  // Connections that have ended count as the postmaster's.
  return backends.reduce((sum, each) => sum + each.us, (own?.us ?? 0) + (own?.endedUs ?? 0))
}

/** proc(5): ticks are hundredths of a second. */
const tickUs = 10_000

async function readTimes(pid: number) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // Behind the name, which may hold anything, the fields count from the third on.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [
    1, 11, 12, 13, 14,
  ].map((at) => Number(fields[at]))
  return {
    ...{ pid, parent },
    us: (user + system) * tickUs,
    endedUs: (endedUser + endedSystem) * tickUs,
  }
}
