import { client } from '../../api/generated/client.gen.ts'
import type { ImportedSuppressions } from '../../api/generated/types.gen.ts'
import type { Entry } from './entry.ts'

/** Of the list in one request: the server ends a request that takes longer than a minute. */
const pieceBytes = 2 * 1024 * 1024
const linesShown = 20

export interface ImportedList extends ImportedSuppressions {
  /** The rest of it was not sent. */
  isStopped: boolean
}

/**
 * Sends a list of any length piece by piece, each a list by itself. Sent again after a failure, nothing
 * is added twice. Once it is to stop, the piece that is under way is the last.
 */
export async function importList(
  workspaceId: string,
  list: Blob,
  reason: Entry['reason'],
  stop: AbortSignal,
): Promise<ImportedList> {
  const all: ImportedList = {
    ...{ added: 0, known: 0, invalid: 0, invalid_lines: [] },
    isStopped: false,
  }
  let linesBefore = 0
  for await (const piece of piecesOf(list)) {
    if (stop.aborted) return { ...all, isStopped: true }
    // The server takes the first line of what it is sent for a heading: only the list's own may be one.
    const head = linesBefore === 0 ? '' : '\n'
    const { added, known, invalid, invalid_lines } = await send(workspaceId, head + piece, reason)
    all.added += added
    all.known += known
    all.invalid += invalid
    const room = linesShown - all.invalid_lines.length
    const numbers = invalid_lines.map((line) => linesBefore - head.length + line)
    all.invalid_lines.push(...numbers.slice(0, room))
    linesBefore += piece.match(/\r\n|\n|\r/g)?.length ?? 0
  }
  return all
}

/** As a stream of text, which the description of the API has no words for. */
async function send(workspaceId: string, piece: string, reason: Entry['reason']) {
  const { data } = await client.post<{ 200: ImportedSuppressions }, unknown, true>({
    url: '/app/suppressions/import',
    query: { reason },
    body: piece,
    bodySerializer: null,
    // The one that the list was chosen for, whatever is looked at.
    headers: { 'Content-Type': 'text/csv', 'X-Workspace-ID': workspaceId },
  })
  return data
}

/** Each ends where a line does. */
async function* piecesOf(list: Blob): AsyncGenerator<string> {
  const decoder = new TextDecoder(await encodingOf(list))
  let text = ''
  for (let at = 0; at < list.size; at += pieceBytes) {
    const bytes = await list.slice(at, at + pieceBytes).arrayBuffer()
    text += decoder.decode(bytes, { stream: true })
    // One at the end may be the first half of a line's end.
    const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r', text.length - 2)) + 1
    if (end === 0) continue
    yield text.slice(0, end)
    text = text.slice(end)
  }
  text += decoder.decode()
  if (text !== '') yield text
}

/** As the server knows one, by the mark that only the first piece has. */
async function encodingOf(list: Blob): Promise<string> {
  const [first, second] = new Uint8Array(await list.slice(0, 2).arrayBuffer())
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}
