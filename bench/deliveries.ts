import { measureIsolation } from './deliveries/isolation.ts'
import { measureLatency } from './deliveries/latency.ts'
import { measureMemory } from './deliveries/memory.ts'
import { measureThroughput } from './deliveries/throughput.ts'
import type { EachPart, Figure } from './figure.ts'
import { type BenchReceiver, startBenchReceiver } from './receiver.ts'
import { type BenchService, openService } from './service.ts'

type Part = (service: BenchService, receiver: BenchReceiver) => Promise<Figure[]>

export const parts: Record<string, Part> = {
  throughput: measureThroughput,
  latency: measureLatency,
  isolation: measureIsolation,
  memory: measureMemory,
}

/** On one database, one part after the other. */
export async function bench(eachPart: EachPart<Part>): Promise<Figure[]> {
  await using service = await openService()
  using receiver = await startBenchReceiver()
  return await eachPart((part) => part(service, receiver))
}
