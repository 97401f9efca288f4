import type { KeptMail } from './folder.ts'
import { textOf, type Word } from './imap-words.ts'

/** One answer to FETCH: its items, with the literals among them. */
export interface FetchAnswer {
  chunks: (string | Buffer)[]
  /** The mail was read in a way that marks it as read. */
  marksSeen: boolean
}

/** The items of FETCH; nothing when one of them is not known here. */
export function readItems(word: Word | undefined): string[] | undefined {
  const asked = Array.isArray(word) ? word.map(textOf) : [textOf(word)]
  const items = asked.flatMap((item) => macros[item.toUpperCase()] ?? [item])
  return items.every((item) => plainItems.has(item.toUpperCase()) || bodyPattern.test(item))
    ? items
    : undefined
}

export function answerFetch(mail: KeptMail, items: string[], withUid: boolean): FetchAnswer {
  const chunks: (string | Buffer)[] = []
  let marksSeen = false
  const hasUid = items.some((item) => item.toUpperCase() === 'UID')
  for (const item of withUid && !hasUid ? ['UID', ...items] : items) {
    if (chunks.length > 0) chunks.push(' ')
    const body = bodyPattern.exec(item)?.groups
    if (!body) {
      chunks.push(plainItems.get(item.toUpperCase())?.(mail) ?? '')
      continue
    }
    marksSeen ||= !body.peek
    const bytes = cut(section(mail.source, body.section ?? ''), body.from, body.count)
    const origin = body.from === undefined ? '' : `<${body.from}>`
    chunks.push(`BODY[${body.section}]${origin} {${bytes.length}}\r\n`, bytes)
  }
  return { chunks, marksSeen }
}

const plainItems = new Map<string, (mail: KeptMail) => string>([
  ['UID', (mail) => `UID ${mail.uid}`],
  ['FLAGS', (mail) => `FLAGS (${[...mail.flags].join(' ')})`],
  ['RFC822.SIZE', (mail) => `RFC822.SIZE ${mail.source.length}`],
  ['X-GM-MSGID', (mail) => `X-GM-MSGID ${mail.uid}`],
  ['X-GM-LABELS', ({ labels = [] }) => `X-GM-LABELS (${labels.map(quoted).join(' ')})`],
  ['INTERNALDATE', (mail) => `INTERNALDATE "${formatDate(mail.receivedAt)}"`],
])

const quoted = (text: string) => `"${text.replaceAll('\\', '\\\\')}"`

const macros: Record<string, string[]> = { FAST: ['FLAGS', 'INTERNALDATE', 'RFC822.SIZE'] }

const bodyPattern =
  /^BODY(?<peek>\.PEEK)?\[(?<section>|HEADER|TEXT|HEADER\.FIELDS \([^)]*\))\](?:<(?<from>\d+)\.(?<count>\d+)>)?$/i

function section(source: Buffer, name: string): Buffer {
  if (name === '') return source
  const end = source.indexOf('\r\n\r\n')
  const split = end < 0 ? source.length : end + 4
  if (name.toUpperCase() === 'TEXT') return source.subarray(split)
  const header = source.subarray(0, split)
  const fields = /\(([^)]*)\)/.exec(name)?.[1]?.toLowerCase().split(/[ "]+/)
  if (!fields) return header
  const lines = header.toString('utf8').match(/[^\r\n]+(?:\r\n[ \t][^\r\n]*)*\r\n/g) ?? []
  const chosen = lines.filter((line) => fields.includes(line.split(':', 1)[0]?.toLowerCase() ?? ''))
  return Buffer.from(`${chosen.join('')}\r\n`)
}

const cut = (bytes: Buffer, from: string | undefined, count: string | undefined) =>
  from === undefined ? bytes : bytes.subarray(Number(from), Number(from) + Number(count))

/** `07-Nov-2026 09:05:00 +0000` */
function formatDate(date: Date): string {
  const [, day, month, year, time] =
    /^\w+, (\d\d) (\w+) (\d+) ([\d:]+)/.exec(date.toUTCString()) ?? []
  return `${day}-${month}-${year} ${time} +0000`
}
