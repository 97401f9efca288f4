import { inLetters } from '../../kernel/email.ts'

/** Every way in which a folded address is written, in lower case: its domain in ASCII or in letters, accents apart or not. */
export const spellingsOf = (folded: string): string[] => [
  ...new Set([folded, inLetters(folded)].flatMap((text) => [text, text.normalize('NFD')])),
]

/**
 * A regular expression for an address where it is not a part of a longer one: `ada@lead.example` is in
 * `<ada@lead.example>`, and not in `jo.ada@lead.example` or `ada@lead.example.org`. What looks like a
 * letter before it may be the end of an escaped character of JSON, of a URL, or of `bytesAsText`.
 *
 * @param letter a class of letters and digits, in the words of who reads the expression
 * @param gap what stands between two characters
 */
export function patternOf(spellings: string[], letter: string, gap = ''): string {
  const escaped = String.raw`\\(?:[bfnrt]|u[0-9a-f]{4}|[0-7]{3})${gap}|%[0-9a-f]{2}`
  const longer = `${letter}${gap}|${letter}${gap}[._%+-]${gap}`
  const goesOn = `(?:${gap}-)*${gap}${letter}|${gap}[.]${gap}${letter}`
  const any = spellings.map((spelling) => spelling.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'))
  return `(?:(?<=${escaped})|(?<!${longer}))(?:${any.join('|')})(?!${goesOn})`
}

/** The spellings as they are in files, each as PostgreSQL writes bytes as text, in lower case. */
export function spellingsInFiles(spellings: string[]) {
  const typed = spellings.flatMap((spelling) => [spelling, spelling.toUpperCase()])
  const written = (encoding: BufferEncoding, texts = typed) => [
    ...new Set(texts.map((text) => bytesAsText(Buffer.from(text, encoding)).toLowerCase())),
  ]
  const isLatin = (text: string) => !/[^\0-\xff]/.test(text)
  return {
    plain: [...new Set([...written('utf8'), ...written('latin1', typed.filter(isLatin))])],
    // Without the last zero, which in the other byte order comes first.
    utf16: written('utf16le').map((text) => text.replace(/\\000$/, '')),
  }
}

/** As `encode(…, 'escape')` does. */
const bytesAsText = (bytes: Buffer) =>
  [...bytes]
    .map((byte) => {
      if (byte === 0 || byte > 127) return `\\${byte.toString(8).padStart(3, '0')}`
      return byte === 92 ? '\\\\' : String.fromCharCode(byte)
    })
    .join('')
