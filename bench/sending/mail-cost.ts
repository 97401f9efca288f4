import { readPostgresTime, readTime } from '../processor-time.ts'
import type { BenchService } from '../service.ts'
import type { Sink } from './sink.ts'

/** Microseconds of processor time, user and system. */
export interface ProcessorTime {
  node: number
  postgres: number
  sink: number
}

/** What this process, its PostgreSQL and the mail server have used so far. */
export async function readProcessorTime(service: BenchService, sink: Sink): Promise<ProcessorTime> {
  const { user, system } = process.cpuUsage()
  const [postgres, sinkUs] = await Promise.all([readPostgresTime(service), readTime(sink.pid)])
  return { node: user + system, postgres, sink: sinkUs }
}

export function perMail(before: ProcessorTime, after: ProcessorTime, mails: number) {
  const [node, postgres, sink] = (['node', 'postgres', 'sink'] as const).map(
    (name) => (after[name] - before[name]) / mails,
  ) as [number, number, number]
  return { node, postgres, sink, all: node + postgres + sink }
}

export const describe = ({ node, postgres, sink }: ProcessorTime) =>
  `${node.toFixed(0)} Node + ${postgres.toFixed(0)} PostgreSQL + ${sink.toFixed(0)} sink`
