import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test, vi } from 'vitest'
import { WorkerThread } from './worker-thread.ts'

const script = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', (asked) => {
      parentPort.postMessage(asked)
      if (asked === 'last') setImmediate(() => { throw new Error('too much') })
    })`)}`,
)

test('a thread that dies after its answer harms nobody, and the next question has another', async () => {
  const ended = vi.spyOn(Worker.prototype, 'emit')
  onTestFinished(() => ended.mockRestore())
  const worker = new WorkerThread<string, string>(script, { memoryMb: 32 })
  expect(await worker.ask('last', 10_000)).toBe('last')
  await vi.waitFor(() => expect(ended).toHaveBeenCalledWith('exit', 1), { timeout: 10_000 })
  expect(await worker.ask('next', 10_000)).toBe('next')
})
