/**
 * A mail without what no reasonable mail has, so that taking it apart costs little whatever a stranger
 * has put into it: headers beyond a size and a number are left out, and it ends with its two hundredth
 * part or its twenty thousandth line. The headers that say whose mail it is and how it is read may
 * stand behind thousands of recipients: they have as much room of their own once the rest is full. One
 * look at each line; most mails come back as they are.
 *
 * @param source the whole message, or its beginning
 */
export function boundedSource(source: Buffer): Buffer {
  const kept: Buffer[] = []
  let from = 0
  let isHeader = true
  let lines = 0
  let parts = 0
  const room = { lines: headersMax, bytes: headerBytesMax }
  const ownRoom = { ...room }
  let isNeeded = false
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
      const bytes = next - at
      if (!isFolded(source, at)) isNeeded = neededHeader.test(nameAt(source, at))
      if (takes(room, bytes) || (isNeeded && takes(ownRoom, bytes))) continue
      kept.push(source.subarray(from, at))
      from = next
    }
  }
  return kept.length === 0 ? source : Buffer.concat([...kept, source.subarray(from)])
}

/** The headers of a mail alone, for one whose parts cannot be told apart. */
export function headOf(source: Buffer): Buffer {
  const bounded = boundedSource(source)
  const end = /\r?\n\r?\n/.exec(bounded.toString('latin1', 0, 2 * headerBytesMax))?.index
  return bounded.subarray(0, end ?? 2 * headerBytesMax)
}

/** Whether there is room for a line. Once there is none, there is none for any that follows. */
function takes(room: { lines: number; bytes: number }, bytes: number): boolean {
  room.lines -= 1
  room.bytes -= bytes
  return room.lines >= 0 && room.bytes >= 0
}

const neededHeader =
  /^(?:(?:x-original-)?from|sender|reply-to|subject|date|message-id|in-reply-to|references|auto-submitted|content-[a-z-]{1,30})[ \t]*:/i

/** Long enough for each of the names that are asked for. */
const nameAt = (source: Buffer, at: number) => source.toString('latin1', at, at + 50)

/** Whether the line goes on with the header of the line above. */
const isFolded = (source: Buffer, at: number) => source[at] === 0x20 || source[at] === 0x09

const dash = 0x2d

/** Nothing but line ends. */
const isEmpty = (source: Buffer, at: number, next: number) =>
  source[at] === 0x0a || (source[at] === 0x0d && next - at <= 2)

const linesMax = 20_000
const partsMax = 200
/** Lines and bytes, those of all parts together. */
const headersMax = 1_000
const headerBytesMax = 64 * 1024
