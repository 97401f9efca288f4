import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchService } from '../service.ts'
import type { Sink } from './sink.ts'

/** Microseconds of processor time, user and system. */
export interface ProcessorTime {
  node: number
  postgres: number
  sink: number
}

/** What this process, its PostgreSQL and the mail server have used so far. */
export async function readProcessorTime(
  { dataDir }: BenchService,
  sink: Sink,
): Promise<ProcessorTime> {
  const { user, system } = process.cpuUsage()
  const pidFile = join(dataDir, 'postgres', 'data', 'postmaster.pid')
  const postmaster = Number((await readFile(pidFile, 'utf8')).split('\n')[0])
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const times = (await Promise.all(pids.map(readTimes))).filter((each) => each !== undefined)
  const own = times.find(({ pid }) => pid === postmaster)
  const backends = times.filter(({ parent }) => parent === postmaster)
  return {
    node: user + system,
    // Connections that have ended count as the postmaster's.
    postgres: backends.reduce((sum, each) => sum + each.us, (own?.us ?? 0) + (own?.endedUs ?? 0)),
    sink: times.find(({ pid }) => pid === sink.pid)?.us ?? 0,
  }
}

export function perMail(before: ProcessorTime, after: ProcessorTime, mails: number) {
  const [node, postgres, sink] = (['node', 'postgres', 'sink'] as const).map(
    (name) => (after[name] - before[name]) / mails,
  ) as [number, number, number]
  return { node, postgres, sink, all: node + postgres + sink }
}

export const describe = ({ node, postgres, sink }: ProcessorTime) =>
  `${node.toFixed(0)} Node + ${postgres.toFixed(0)} PostgreSQL + ${sink.toFixed(0)} sink`

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
