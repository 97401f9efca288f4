import { workerModule } from '../../../kernel/own-files.ts'
import { WorkerThread } from '../../../kernel/worker-thread.ts'
import { headOf } from '../classify/bounded-source.ts'
import { shownHtml, type Understood, understand } from '../ingest/understand.ts'

export interface LargeMail {
  source: Uint8Array
  receivedAt: Date
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
 * Takes a large mail apart in a worker thread, so that no mail keeps the process from answering. Of
 * a mail that takes too long, or too much memory, there are its headers.
 */
export async function understandLarge(
  workspaceId: string,
  source: Buffer,
  receivedAt: Date,
  timeMs = workerMs,
): Promise<UnderstoodLarge> {
  try {
    return await worker.ask(workspaceId, { source, receivedAt }, timeMs)
  } catch (error) {
    return { ...(await byHead(source, receivedAt)), headOnlyBecause: error }
  }
}

export interface UnderstoodLarge extends Understood {
  shownHtml: string | null
  /** What the worker failed with, where there are only headers. */
  headOnlyBecause?: unknown
}

const workerMs = 20_000

const worker = new WorkerThread<LargeMail, UnderstoodLarge>(
  workerModule('features/inbox/reading/mail-worker'),
  { memoryMb: 256 },
)

async function byHead(source: Buffer, receivedAt: Date) {
  const understood = await understand(headOf(source), receivedAt)
  return { ...understood, shownHtml: shownHtml(understood.message) }
}
