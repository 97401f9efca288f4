const terminator = Buffer.from('.\r\n')
const dot = 0x2e
const newline = 0x0a

/**
 * A message as DATA wants it (RFC 5321 §4.5.2), without the final dot: a dot that begins a line is
 * doubled, also after a bare CR or LF, which some servers take for the end of a line: else what looks
 * like the end of this message could smuggle in another.
 */
export function stuffDots(message: Buffer): Buffer {
  const starts = findLineDots(message)
  const needsEnd = message.length > 0 && message.at(-1) !== newline
  if (starts.length === 0 && !needsEnd) return message
  const parts: Buffer[] = []
  let from = 0
  for (const at of starts) {
    parts.push(message.subarray(from, at), terminator.subarray(0, 1))
    from = at
  }
  parts.push(message.subarray(from))
  if (needsEnd) parts.push(terminator.subarray(message.at(-1) === 0x0d ? 2 : 1))
  return Buffer.concat(parts)
}

/** The final dot, on a line of its own. */
export const finalDot = terminator

function findLineDots(message: Buffer): number[] {
  const found = message[0] === dot ? [0] : []
  for (const lineEnd of ['\n.', '\r.']) {
    for (let at = message.indexOf(lineEnd, 0, 'latin1'); at >= 0; ) {
      found.push(at + 1)
      at = message.indexOf(lineEnd, at + 1, 'latin1')
    }
  }
  return found.sort((a, b) => a - b)
}
