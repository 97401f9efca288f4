import { on } from 'node:events'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { shownHtml, understand } from '../ingest/understand.ts'
import type { LargeMail, UnderstoodLarge } from './large-mails.ts'

/* The worker that takes large mails apart, one after the other. `understandLarge` is the other side. */

const port = parentPort as MessagePort

for await (const [mail] of on(port, 'message')) {
  const { source, receivedAt } = mail as LargeMail
  const understood = await understand(Buffer.from(source), receivedAt)
  const answer: UnderstoodLarge = { ...understood, shownHtml: shownHtml(understood.message) }
  port.postMessage(answer)
}
