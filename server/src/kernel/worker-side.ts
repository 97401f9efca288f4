import { on } from 'node:events'
import { type MessagePort, parentPort } from 'node:worker_threads'

/** In the thread of a `WorkerThread`: answers what it is asked, one after the other. */
export async function answerAsked<Asked, Answer>(
  work: (asked: Asked) => Answer | Promise<Answer>,
): Promise<void> {
  const port = parentPort as MessagePort
  for await (const [asked] of on(port, 'message')) port.postMessage(await work(asked))
}
