import { threadModule } from '../../../kernel/own-files.ts'
import { Thread } from '../../../kernel/thread.ts'
import type { AutoReply } from '../classify/auto-reply.ts'
import { headOf } from '../classify/bounded-source.ts'
import type { Inbound } from '../classify/classify.ts'
import { shownHtml, type Understood, understand } from '../ingest/understand.ts'

export interface LargeMail {
  source: Uint8Array
  receivedAt: Date
}

/** What a thread answers: a day of the calendar is a text there. */
export interface UnderstoodInThread extends Omit<Understood, 'inbound'> {
  inbound:
    | Exclude<Inbound, { kind: 'auto_reply' }>
    | ({ kind: 'auto_reply' } & Omit<AutoReply, 'returnsOn'> & { returnsOn: string | null })
  shownHtml: string | null
}

/** A source of this size is parsed within milliseconds, whatever a stranger has put into it. */
const smallBytesMax = 16 * 1024
const smallLinesMax = 400

export function isLarge(source: Buffer): boolean {
  if (source.length > smallBytesMax) return true
  let lines = 0
  for (let at = source.indexOf(0x0a); at !== -1; at = source.indexOf(0x0a, at + 1)) lines += 1
  return lines > smallLinesMax
}

/**
 * Takes a large mail apart in a thread of its own, so that no mail keeps the process from answering. Of
 * a mail that takes too long, or too much memory, there are its headers.
 */
export async function understandLarge(
  source: Buffer,
  receivedAt: Date,
  timeMs = threadMs,
): Promise<UnderstoodLarge> {
  try {
    return unpacked(await thread.ask({ source, receivedAt }, timeMs))
  } catch (error) {
    return { ...(await byHead(source, receivedAt)), headOnlyBecause: error }
  }
}

interface UnderstoodLarge extends Understood {
  shownHtml: string | null
  /** What the thread failed with, where there are only headers. */
  headOnlyBecause?: unknown
}

const threadMs = 20_000

const thread = new Thread<LargeMail, UnderstoodInThread>(
  threadModule('features/inbox/reading/mail-thread'),
  { memoryMb: 256 },
)

function unpacked({ inbound, ...mail }: UnderstoodInThread) {
  if (inbound.kind !== 'auto_reply') return { ...mail, inbound }
  const { returnsOn } = inbound
  const day = returnsOn === null ? null : Temporal.PlainDate.from(returnsOn)
  return { ...mail, inbound: { ...inbound, returnsOn: day } }
}

async function byHead(source: Buffer, receivedAt: Date) {
  const understood = await understand(headOf(source), receivedAt)
  return { ...understood, shownHtml: shownHtml(understood.message) }
}
