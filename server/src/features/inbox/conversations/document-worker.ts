import { on } from 'node:events'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { mailDocument } from './mail-document.ts'
import type { LargeDocument } from './show-mail.ts'

/* The worker that makes pages of large mails, one after the other. `showMail` is the other side. */

const port = parentPort as MessagePort

for await (const [asked] of on(port, 'message')) {
  const { html, showsImages } = asked as LargeDocument
  port.postMessage(mailDocument({ html, text: '' }, { showsImages }))
}
