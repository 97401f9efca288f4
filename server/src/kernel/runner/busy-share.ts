import { type EventLoopUtilization, performance } from 'node:perf_hooks'

/** @returns the share of the time since its last call in which this process had something to do */
export function createBusyShare(): () => number {
  let last: EventLoopUtilization = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}
