import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { CommitTimes } from './deliveries/load.ts'

export interface BenchReceiver extends Disposable {
  url: string
  reset: () => void
  /** In ms, of each event that arrived; throws when one has not. */
  latencies: (committed: CommitTimes) => Promise<number[]>
}

export async function startBenchReceiver(): Promise<BenchReceiver> {
  const child = fork(new URL('receiver-process.ts', import.meta.url))
  const [{ port }] = await once(child, 'message')
  return {
    url: `http://127.0.0.1:${port}`,
    reset: () => void child.send('reset'),
    async latencies(committed) {
      child.send('report')
      const [report] = await once(child, 'message')
      const arrivals = new Map(report as [string, number][])
      return [...committed].map(([id, at]) => {
        const arrived = arrivals.get(id)
        if (arrived === undefined) throw new Error('an event did not arrive')
        return arrived - at
      })
    },
    [Symbol.dispose]: () => void child.kill(),
  }
}
