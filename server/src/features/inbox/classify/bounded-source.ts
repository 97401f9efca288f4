/**
 * A mail without what no reasonable mail has, so that taking it apart costs little whatever a stranger
 * has put into it: headers beyond a size and a number are left out, and it ends with its two hundredth
 * part or its twenty thousandth line. One look at each line; most mails come back as they are.
 *
 * @param source the whole message, or its beginning
 */
export function boundedSource(source: Buffer): Buffer {
  const kept: Buffer[] = []
  let from = 0
  let isHeader = true
  let lines = 0
  let parts = 0
  let headers = 0
  let headerBytes = 0
  for (let at = 0, next = 0; at < source.length; at = next) {
    const end = source.indexOf(0x0a, at)
    next = end === -1 ? source.length : end + 1
    // Whether it begins a part, and of what, only a parser can tell.
    const mayBeginPart = source[at] === dash && source[at + 1] === dash
    if (++lines > linesMax || (mayBeginPart && ++parts > partsMax)) {
      return Buffer.concat([...kept, source.subarray(from, at)])
    }
    if (mayBeginPart) {
      isHeader = true
    } else if (isEmpty(source, at, next)) {
      isHeader = false
    } else if (isHeader) {
      headers += 1
      headerBytes += next - at
      if (headers <= headersMax && headerBytes <= headerBytesMax) continue
      kept.push(source.subarray(from, at))
      from = next
    }
  }
  return kept.length === 0 ? source : Buffer.concat([...kept, source.subarray(from)])
}

/** The headers of a mail alone, for one whose parts cannot be told apart. */
export function headOf(source: Buffer): Buffer {
  const end = /\r?\n\r?\n/.exec(source.toString('latin1', 0, headerBytesMax))?.index
  return source.subarray(0, end ?? headerBytesMax)
}

const dash = 0x2d

/** Nothing but line ends. */
const isEmpty = (source: Buffer, at: number, next: number) =>
  source[at] === 0x0a || (source[at] === 0x0d && next - at <= 2)

const linesMax = 20_000
const partsMax = 200
/** Lines, those of all parts together. */
const headersMax = 1_000
const headerBytesMax = 64 * 1024
