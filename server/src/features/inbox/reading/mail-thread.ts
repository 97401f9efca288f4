import { on } from 'node:events'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { shownHtml, understand } from '../ingest/understand.ts'
import type { LargeMail, UnderstoodInThread } from './large-mails.ts'

/* The thread that takes large mails apart, one after the other. `understandLarge` is the other side. */

const port = parentPort as MessagePort

for await (const [mail] of on(port, 'message')) {
  const { source, receivedAt } = mail as LargeMail
  const { inbound, ...understood } = await understand(Buffer.from(source), receivedAt)
  const answer: UnderstoodInThread = {
    ...understood,
    inbound:
      inbound.kind === 'auto_reply'
        ? { ...inbound, returnsOn: inbound.returnsOn?.toString() ?? null }
        : inbound,
    shownHtml: shownHtml(understood.message),
  }
  port.postMessage(answer)
}
