import type { ParsedMessage } from './message.ts'
import { baseSubject } from './subject.ts'

/** A mail as far as its text tells what of it is quoted. */
export type ReceivedText = Pick<ParsedMessage, 'text' | 'to' | 'subject'>

/**
 * What the person wrote, without what was quoted and the line above it. By shape and not by words, which
 * every language has others for. Linear in the length of the text.
 */
export function visibleText(mail: ReceivedText): string {
  const lines = mail.text.slice(0, textMax).replace(/\r\n?/g, '\n').split('\n', linesMax)
  const known = [...mail.to, baseSubject(mail.subject).toLowerCase()].filter((each) => each !== '')
  const written: string[] = []
  for (const [at, line] of lines.entries()) {
    if (separator.test(line.trim()) || isHeaderBlock(lines, at, known)) break
    if (isQuoted(line)) continue
    if (/[:：]\s*$/.test(line)) {
      const kind = attributionAt(lines, at)
      const above = written.length - wrappedAbove(lines, at, written.length)
      // With nothing above it, it is the beginning of what the person wrote, unless it names who is answered.
      const isEnd = kind === 'of all below' && (above > 0 || names([...written, line], mail.to))
      if (isEnd || kind === 'of quoted lines') written.length = above
      if (isEnd) break
      if (kind === 'of quoted lines') continue
    }
    if (written.length > 0 || line.trim() !== '') written.push(line)
  }
  return written
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

const textMax = 262_144
const linesMax = 5_000
const attributionMax = 500

/** Whether one of these addresses stands in these lines. */
function names(lines: string[], addresses: string[]): boolean {
  const text = lines.join('\n').toLowerCase()
  return addresses.some((address) => text.includes(address))
}

const isQuoted = (line: string) => line.trimStart().startsWith('>')

/** `-----Original Message-----` and the line above Outlook's headers. */
const separator = /^(?:-{5,80} ?[^-]{2,60} ?-{5,80}|_{20,200})$/

/**
 * The line ends in a colon. Above quoted lines it is what every mail program writes there; with a day
 * and an address, or a day and nothing below it, too.
 */
function attributionAt(
  lines: string[],
  at: number,
): 'of quoted lines' | 'of all below' | undefined {
  const line = lines[at] ?? ''
  if (line.length > attributionMax) return undefined
  let below = at + 1
  while (below < at + 5 && lines[below]?.trim() === '') below += 1
  const next = lines[below]
  if (next !== undefined && isQuoted(next)) return 'of quoted lines'
  const whole = lines.slice(at - wrappedAbove(lines, at, at), at + 1).join(' ')
  if (!dayOrTime.test(whole)) return undefined
  return next === undefined || /\S@\S/.test(whole) ? 'of all below' : undefined
}

const dayOrTime = /\b(?:19|20)\d\d\b|\d[./-]\d|\d:\d\d|\d[年월月]/

/** Lines above that belong to it, because it was too long for one: up to the one with the day. */
function wrappedAbove(lines: string[], at: number, writtenMax: number): number {
  if (dayOrTime.test(lines[at] ?? '')) return 0
  for (const count of [1, 2]) {
    const above = lines[at - count]?.trim() ?? ''
    if (count > writtenMax || above === '' || above.length > attributionMax) return 0
    if (dayOrTime.test(above)) return count
  }
  return 0
}

const headerLine = /^\*?\p{L}[\p{L} .'’-]{0,24}\*?\s?[:：]\*?\s*\S/u

/**
 * Outlook quotes without marks, below a block of headers: three or more lines `Word: value`, of which
 * one has an address that the mail is to, or its subject.
 */
function isHeaderBlock(lines: string[], at: number, known: string[]): boolean {
  // Looked at once, from its first line on.
  if (!headerLine.test(lines[at] ?? '') || headerLine.test(lines[at - 1] ?? '')) return false
  const after = lines.slice(at, at + 10).map((line) => line.slice(0, attributionMax))
  const end = after.findIndex((line) => !headerLine.test(line) && !/^\s+\S/.test(line))
  const block = end === -1 ? after : after.slice(0, end)
  const values = block.map((line) => line.slice(line.search(/[:：]/) + 1).toLowerCase())
  return (
    block.length >= 3 &&
    values.some((value) =>
      known.some((each) =>
        each.includes('@')
          ? value.includes(each)
          : baseSubject(value.replace(/^\*? */, '')) === each,
      ),
    )
  )
}
