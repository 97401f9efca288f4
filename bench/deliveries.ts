import { measureIsolation } from './deliveries/isolation.ts'
import { measureLatency } from './deliveries/latency.ts'
import { measureMemory } from './deliveries/memory.ts'
import { measureThroughput } from './deliveries/throughput.ts'
import type { Figure } from './figure.ts'
import { type BenchReceiver, startBenchReceiver } from './receiver.ts'
import { type BenchService, openService } from './service.ts'

type Measure = (service: BenchService, receiver: BenchReceiver) => Promise<Figure[]>

export const parts: Record<string, Measure> = {
  throughput: measureThroughput,
  latency: measureLatency,
  isolation: measureIsolation,
  memory: measureMemory,
}

/** On one database, one part after the other. */
export async function bench(only: string[] = Object.keys(parts)): Promise<Figure[]> {
  await using service = await openService()
  using receiver = await startBenchReceiver()
  const figures: Figure[] = []
  for (const part of only) figures.push(...((await parts[part]?.(service, receiver)) ?? []))
  return figures
}
