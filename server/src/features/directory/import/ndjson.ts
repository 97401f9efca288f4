import { isUtf8 } from 'node:buffer'
import { isRecord } from '../../../kernel/json/is-record.ts'
import { parseJsonText } from '../../../kernel/json/parse-json-text.ts'

/** A line of NDJSON. A blank one has neither members nor a fault. */
export interface Line {
  /** As text, those of an object within the line's by both names: `company domain`. */
  members: [name: string, value: string][]
  /** Why it cannot be taken. */
  fault: string | undefined
}

/** Reads one JSON object from every line of UTF-8, the lines of a piece at once. */
export async function* readNdjson(pieces: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let rest: Buffer = Buffer.alloc(0)
  /** The rest of a line that is too long is still to come. */
  let isSkipping = false
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
    const lines: Line[] = []
    let at = 0
    for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', at)) {
      if (!isSkipping) lines.push(readLine(bytes.subarray(at, end)))
      isSkipping = false
      at = end + 1
    }
    rest = bytes.subarray(at)
    if (rest.length > lineBytesMax && !isSkipping) {
      lines.push(readLine(rest))
      isSkipping = true
    }
    if (isSkipping) rest = rest.subarray(rest.length)
    yield lines
  }
  if (rest.length > 0) yield [readLine(rest)]
}

/** More is no object of a person. */
export const lineBytesMax = 4_000_000

export function readLine(line: Buffer): Line {
  const faulty = (fault: string): Line => ({ members: [], fault })
  if (line.length > lineBytesMax) return faulty('it is too long')
  if (!isUtf8(line)) return faulty("it is not written in the file's encoding")
  const text = line.toString().trim()
  if (text === '') return { members: [], fault: undefined }
  try {
    const object = parseJsonText(text)
    if (isRecord(object)) {
      return { members: membersOf(object), fault: undefined }
    }
  } catch {
    // Said below: the parser's message would quote the row.
  }
  return faulty('it is not a JSON object')
}

function membersOf(object: object, within = ''): Line['members'] {
  return Object.entries(object).flatMap(([key, value]): Line['members'] => {
    const name = within + key
    if (value === null) return []
    if (Array.isArray(value)) return [[name, listOf(value)]]
    return typeof value === 'object' ? membersOf(value, `${name} `) : [[name, String(value)]]
  })
}

/** Of a list of one with a comma in it the end is told, too: it would be read as a list of two. */
function listOf(values: unknown[]): string {
  const texts = values
    .map(namedBy)
    .filter((value) => value != null)
    .map(String)
  return texts.join(';') + (texts.length === 1 && /[,|]/.test(texts[0] ?? '') ? ';' : '')
}

/** What an object of a list is told by, as those of addresses and technologies are; a text itself. */
function namedBy(value: unknown): unknown {
  if (!isRecord(value)) return value
  const { address, email, name } = value
  return [address, email, name].find((each) => typeof each === 'string')
}
