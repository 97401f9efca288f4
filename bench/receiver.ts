import { fork } from 'node:child_process'
import { once } from 'node:events'

export interface BenchReceiver extends Disposable {
  url: string
  reset: () => void
  report: () => Promise<{ received: number; latencies: number[] }>
}

export async function startBenchReceiver(): Promise<BenchReceiver> {
  const child = fork(new URL('receiver-process.ts', import.meta.url))
  const [{ port }] = await once(child, 'message')
  return {
    url: `http://127.0.0.1:${port}`,
    reset: () => void child.send('reset'),
    async report() {
      child.send('report')
      const [report] = await once(child, 'message')
      return report
    },
    [Symbol.dispose]: () => void child.kill(),
  }
}
