import { answerAsked } from '../../../kernel/worker-side.ts'
import { mailDocument } from './mail-document.ts'
import type { LargeDocument } from './show-mail.ts'

/* The worker that makes pages of large mails. `showMail` is the other side. */

await answerAsked(({ html, showsImages }: LargeDocument) =>
  mailDocument({ html, text: '' }, { showsImages }),
)
