const filled = (text: string, bytes = 2 * 1024 * 1024) =>
  Buffer.from(text.repeat(Math.ceil(bytes / text.length)).slice(0, bytes))
const below = (heading: string, rest: Buffer) =>
  Buffer.concat([Buffer.from(`${heading}\na@b.example\n`), rest, Buffer.from('\n')])

/** What is in each list of people, and the list. */
export const listBombs: [string, () => Buffer][] = [
  ['line ends', () => below('email', filled('\n'))],
  ['line ends of Windows', () => below('email', filled('\r\n'))],
  ['lines of one letter', () => below('email', filled('a\n'))],
  ['a row of commas', () => below('email', filled(','))],
  ['a row of fields', () => below('email', filled('a,'))],
  ['a field', () => below('email', filled('a'))],
  ['a field of angle brackets', () => below('email', filled('<'))],
  ['a quote of quotes', () => below('email', filled('"'))],
  ['quotes and commas', () => below('email', filled('",'))],
  ['addresses', () => below('email', filled('a@b.'))],
  ['columns', () => Buffer.concat([Buffer.from('email,'), filled('ab,'), Buffer.from('\n')])],
  ['headings', () => filled(`${'email,'.repeat(2000)}\n`)],
  ['all that may part columns', () => filled('email;,\t|')],
]
