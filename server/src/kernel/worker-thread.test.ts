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
  expect(await worker.ask('w', 'last', 10_000)).toBe('last')
  await vi.waitFor(() => expect(ended).toHaveBeenCalledWith('exit', 1), { timeout: 10_000 })
  expect(await worker.ask('w', 'next', 10_000)).toBe('next')
})

test('who asks for much does not keep other workspaces waiting', async () => {
  const worker = new WorkerThread<string, string>(script, { memoryMb: 32 })
  const answered: string[] = []
  const ask = (workspaceId: string, asked: string) =>
    worker.ask(workspaceId, asked, 10_000).then((answer) => answered.push(answer))
  const many = Array.from({ length: 5 }, (_, at) => ask('a', `a${at}`))
  await Promise.all([...many, ask('b', 'b0')])
  expect(answered).toEqual(['a0', 'a1', 'b0', 'a2', 'a3', 'a4'])
})
