import { threadModule } from '../../../kernel/own-files.ts'
import { Thread } from '../../../kernel/thread.ts'
import type { StoredMessage } from '../../messages/index.ts'
import { mailDocument } from './mail-document.ts'

export interface LargeDocument {
  html: string
  showsImages: boolean
}

/** HTML of this length is made a page within milliseconds, whatever a stranger has put into it. */
const smallCharactersMax = 32 * 1024

const threadMs = 10_000

const thread = new Thread<LargeDocument, string>(
  threadModule('features/inbox/conversations/document-thread'),
  { memoryMb: 256 },
)

/**
 * A mail as a page of its own. One that is large is made in a thread, so that no mail keeps the process
 * from answering; of one that takes too long, or too much memory, there is its text.
 */
export async function showMail(
  message: Pick<StoredMessage, 'html' | 'text'>,
  options: { showsImages: boolean },
  timeMs = threadMs,
): Promise<string> {
  const { html, text } = message
  if (html === null || html.length <= smallCharactersMax) return mailDocument(message, options)
  try {
    return await thread.ask({ html, ...options }, timeMs)
  } catch {
    return mailDocument({ html: null, text }, options)
  }
}
