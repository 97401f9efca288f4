import { readdirSync, readFileSync } from 'node:fs'

/**
 * A mail as it comes in, and what it must be taken for. Read from `shapes/*.txt`:
 *
 *   === name | verdict | what the person wrote
 *   headers; `+answer` refers to our mail, `+report KIND` makes it a multipart/report,
 *   `+nfd` writes accents as characters of their own
 *
 *   body; `-- TYPE` begins another part; `$ours` is the Message-ID of our mail
 *
 * Verdicts: reply [wish=plain|wish=possible] · auto [out [first day back]] · hard, soft or late and the
 * code · complaint [recipient] · notice.
 */
export interface Shape {
  name: string
  verdict: string
  /** Undefined: not looked at. */
  written: string | undefined
  source: Buffer
}

const folder = new URL('shapes/', import.meta.url)
const ours = '<019a9d5e-8a00-7c31-9d0a-5e1f6a2b3c4d@sender.example>'

export const shapes: Shape[] = readdirSync(folder).flatMap((file) =>
  readFileSync(new URL(file, folder), 'utf8')
    .split(/^=== /m)
    .slice(1)
    .map((text) => shapeOf(text, file.replace('.txt', ''))),
)

function shapeOf(text: string, group: string): Shape {
  const [head = '', ...rest] = text.replaceAll('$ours', ours).split('\n')
  const [name, verdict = '', written] = head.split(' | ').map((field) => field.trim())
  const gap = rest.indexOf('')
  const headers = rest.slice(0, gap)
  const accents = headers.includes('+nfd') ? 'NFD' : 'NFC'
  const lines = sourceOf(
    headers,
    rest
      .slice(gap + 1)
      .join('\n')
      .trimEnd(),
  )
  const source = Buffer.from(lines.join('\r\n').normalize(accents))
  return { name: `${group}/${name}`, verdict, written, source }
}

function sourceOf(headers: string[], body: string): string[] {
  const [text = '', ...parts] = body.split(/^-- (?=\w+\/)/m)
  const report = headers.find((line) => line.startsWith('+report'))?.split(' ')[1]
  const type = report ? `multipart/report; report-type=${report}` : 'multipart/mixed'
  const isTyped = headers.some((line) => line.startsWith('Content-Type:'))
  const plain = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit']
  return [
    'To: anna@sender.example',
    'Message-ID: <shape@receiver.example>',
    'MIME-Version: 1.0',
    ...headers.flatMap(headerOf),
    ...(parts.length > 0 ? [`Content-Type: ${type}; boundary=B`, '', '--B'] : []),
    ...(isTyped ? [] : plain),
    '',
    text.trimEnd().replaceAll('\n', '\r\n'),
    ...parts.flatMap((part) => {
      const [partType = '', ...content] = part.trimEnd().split('\n')
      return ['--B', `Content-Type: ${partType}`, '', ...content]
    }),
    ...(parts.length > 0 ? ['--B--'] : []),
    '',
  ]
}

function headerOf(line: string): string[] {
  if (line === '+answer') return [`In-Reply-To: ${ours}`, `References: ${ours}`]
  return line.startsWith('+') ? [] : [line]
}
