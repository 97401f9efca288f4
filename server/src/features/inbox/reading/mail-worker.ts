import { answerAsked } from '../../../kernel/worker-side.ts'
import { shownHtml, understand } from '../ingest/understand.ts'
import type { LargeMail, UnderstoodLarge } from './large-mails.ts'

/* The worker that takes large mails apart. `understandLarge` is the other side. */

await answerAsked<LargeMail, UnderstoodLarge>(async ({ source, receivedAt }) => {
  const understood = await understand(Buffer.from(source), receivedAt)
  return { ...understood, shownHtml: shownHtml(understood.message) }
})
