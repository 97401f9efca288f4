import { limitAtOnce } from '../../../kernel/limit-at-once.ts'
import { workerModule } from '../../../kernel/own-files.ts'
import { WorkerThread } from '../../../kernel/worker-thread.ts'
import type { StoredMessage } from '../../messages/index.ts'
import { mailDocument } from './mail-document.ts'

export interface LargeDocument {
  html: string
  showsImages: boolean
}

/** HTML of this length is made a page within milliseconds, whatever a stranger has put into it. */
const smallCharactersMax = 32 * 1024

const workerMs = 10_000

const worker = new WorkerThread<LargeDocument, string>(
  workerModule('features/inbox/conversations/document-worker'),
  { memoryMb: 256 },
)

/** More than a conversation shows at once. Each holds a mail in memory until its turn. */
const takePageSlot = limitAtOnce('large mails being opened', {
  ofWorkspaceMax: 24,
  ofProcessMax: 72,
})

/**
 * A mail as a page of its own. One that is large is made by a worker, so that no mail keeps the process
 * from answering; of one that takes too long, or too much memory, there is its text.
 */
export async function showMail(
  workspaceId: string,
  message: Pick<StoredMessage, 'html' | 'text'>,
  options: { showsImages: boolean },
  timeMs = workerMs,
): Promise<string> {
  const { html, text } = message
  if (html === null || html.length <= smallCharactersMax) return mailDocument(message, options)
  using _slot = takePageSlot(worker, workspaceId)
  try {
    return await worker.ask(workspaceId, { html, ...options }, timeMs)
  } catch {
    return mailDocument({ html: null, text }, options)
  }
}
