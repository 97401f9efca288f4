import { sealedMailboxColumns } from './features/mailboxes/index.ts'
import { sealedWebhookColumns } from './features/webhooks/index.ts'
import { sealedAnswers } from './kernel/http/kept-answers.ts'
import type { SealedColumn } from './kernel/sealed-columns/index.ts'

/** Everything that is sealed with OUTRIDER_SECRET_KEY. */
export const sealedColumns: SealedColumn[] = [
  ...sealedMailboxColumns,
  ...sealedWebhookColumns,
  ...sealedAnswers,
]
