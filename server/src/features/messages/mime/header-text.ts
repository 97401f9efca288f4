/** One line of text: what would end it or hide in it becomes a space, and so does a row of them. */
export function oneLine(text: string): string {
  if (plainLine.test(text)) return text
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
}

const plainLine = /^(?:[\x21-\x7e]+(?: [\x21-\x7e]+)*)?$/

/**
 * The value of a header that holds free text (RFC 5322 §2.2.1), folded: as it is when it is ASCII,
 * else as encoded words (RFC 2047).
 *
 * @param text of one line
 * @param used of the first line, by the name
 */
export function headerText(text: string, used: number): string {
  if (isPlain(text)) return foldAtSpaces(text, used)
  return encodedWords(text, used)
}

/** A display name (RFC 5322 §3.2.5) of one line. */
export function phrase(text: string, used: number): string {
  if (!isPlain(text)) return encodedWords(text, used)
  if (/^[\w!#$%&'*+\-/=?^`{|}~ ]+$/.test(text)) return foldAtSpaces(text, used)
  return foldAtSpaces(`"${text.replace(/["\\]/g, '\\$&')}"`, used)
}

/** The most octets of a folded line. */
const lineOctetsMax = 76
/** RFC 2047 §2. */
const wordOctetsMax = 75

/** What an encoded word could be taken for is none, nor is a word that no line would hold. */
const isPlain = (text: string) =>
  /^[\x20-\x7e]*$/.test(text) && !text.includes('=?') && !/[^ ]{70}/.test(text)

function foldAtSpaces(text: string, used: number): string {
  if (used + text.length <= lineOctetsMax) return text
  let out = ''
  let column = used
  for (const word of text.split(' ')) {
    if (out === '') out = word
    else if (column + 1 + word.length <= lineOctetsMax) out += ` ${word}`
    else {
      out += `\r\n ${word}`
      column = 0
    }
    column += 1 + word.length
  }
  return out
}

/** In the shorter of the two encodings, cut between characters. */
function encodedWords(text: string, used: number): string {
  const bytes = Buffer.byteLength(text)
  const isBase64 = (bytes * 4) / 3 < quotedLength(text)
  const mark = isBase64 ? 'B' : 'Q'
  const overhead = `=?UTF-8?${mark}??=`.length
  const words: string[] = []
  let room = Math.min(wordOctetsMax, Math.max(lineOctetsMax - used, 30)) - overhead
  let part = ''
  let length = 0
  const end = () => {
    const encoded = isBase64 ? Buffer.from(part).toString('base64') : quoted(part)
    words.push(`=?UTF-8?${mark}?${encoded}?=`)
    room = wordOctetsMax - overhead
    part = ''
    length = 0
  }
  for (const character of text) {
    const added = isBase64 ? Buffer.byteLength(character) : quotedLength(character)
    const total = length + added
    if (part !== '' && (isBase64 ? Math.ceil(total / 3) * 4 : total) > room) end()
    part += character
    length += added
  }
  if (part !== '') end()
  return words.join('\r\n ')
}

/** What a Q word may hold as it is, in a phrase too. */
const literal = /[A-Za-z\d!*+\-/ ]/

function quoted(text: string): string {
  let out = ''
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte)
    if (character === ' ') out += '_'
    else if (literal.test(character)) out += character
    else out += `=${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return out
}

function quotedLength(text: string): number {
  let length = 0
  for (const character of text) {
    length += literal.test(character) ? 1 : 3 * Buffer.byteLength(character)
  }
  return length
}
