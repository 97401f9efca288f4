import { inTurns } from './in-turns.ts'
import { markedEncoding } from './recode.ts'

/** Characters of a line that are kept; what comes after is left out, so that a file of one line takes no more than others. */
export const lineCharactersMax = 1000

/**
 * Reads the lines of a text in UTF-8, or in UTF-16 with a byte order mark; line ends may be mixed.
 */
export async function* readLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined
  let begun = ''
  for await (const piece of inTurns(pieces)) {
    decoder ??= new TextDecoder(markedEncoding(piece))
    const lines = (begun + decoder.decode(piece, { stream: true })).split(lineEnd)
    begun = cut(lines.pop() ?? '')
    for (const line of lines) yield line.slice(0, lineCharactersMax)
  }
  if (begun !== '') yield begun.replace(/\r$/, '')
}

/** One at the end of a piece may be the first half of one. */
const lineEnd = /\r\n|\n|\r(?!$)/

const cut = (begun: string) =>
  begun.slice(0, lineCharactersMax) +
  (begun.length > lineCharactersMax && begun.endsWith('\r') ? '\r' : '')
