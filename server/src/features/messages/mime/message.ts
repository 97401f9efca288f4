import { encodeBody } from './body-encoding.ts'
import { headerText, phrase } from './header-text.ts'

/** What stands in a mail; texts are checked and of one line, addresses in the form of headers. */
export interface MessageContent {
  messageId: string
  at: Date
  from: { name: string; address: string }
  to: string
  cc: string[]
  subject: string
  inReplyTo: string | null
  references: string[]
  /** Of a page that takes one click (RFC 8058), or a `mailto:`; null: no such headers. */
  unsubscribeUrl: string | null
  text: string
  html: string | null
}

/** The octets of a mail (RFC 5322), without those headers that belong to its transport. */
export function buildMessage(content: MessageContent): Buffer {
  const { text, html } = content
  const head = `${headersOf(content)}MIME-Version: 1.0\r\n`
  if (html === null) {
    const { encoding, octets } = encodeBody(text)
    return Buffer.concat([Buffer.from(head + partHead('plain', encoding)), octets])
  }
  // An underscore behind the `=` is in no encoded body, so no text can hold it.
  const boundary = `=_${content.messageId.replaceAll(/\W/g, '').slice(0, 40)}`
  const plain = encodeBody(text)
  const octets = Buffer.from(plain.octets)
  const marked = encodeBody(html)
  return Buffer.concat([
    Buffer.from(
      `${head}Content-Type: multipart/alternative; boundary="${boundary}"\r\n\r\n` +
        `--${boundary}\r\n${partHead('plain', plain.encoding)}`,
    ),
    octets,
    Buffer.from(`\r\n--${boundary}\r\n${partHead('html', marked.encoding)}`),
    marked.octets,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ])
}

const partHead = (subtype: 'plain' | 'html', encoding: string) =>
  `Content-Type: text/${subtype}; charset=utf-8\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`

function headersOf(content: MessageContent): string {
  const { messageId, at, from, to, cc, inReplyTo, references, unsubscribeUrl } = content
  let headers =
    `Message-ID: ${messageId}\r\n` +
    `Date: ${at.toUTCString().replace('GMT', '+0000')}\r\n` +
    `From: ${sender(from)}\r\n` +
    `To: ${to}\r\n`
  if (cc.length > 0) headers += `Cc: ${cc.join(',\r\n ')}\r\n`
  headers += `Subject: ${headerText(content.subject, 'Subject: '.length)}\r\n`
  if (inReplyTo !== null) headers += `In-Reply-To: ${inReplyTo}\r\n`
  if (references.length > 0) headers += `References: ${references.join('\r\n ')}\r\n`
  if (unsubscribeUrl === null) return headers
  headers += `List-Unsubscribe: <${unsubscribeUrl}>\r\n`
  // Whoever announces one click takes a POST.
  if (!/^https?:/.test(unsubscribeUrl)) return headers
  return `${headers}List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n`
}

function sender({ name, address }: MessageContent['from']): string {
  if (name === '') return address
  const shown = phrase(name, 'From: '.length)
  const lastLine = shown.slice(shown.lastIndexOf('\n') + 1)
  return `${shown}${lastLine.length + address.length > 60 ? '\r\n' : ''} <${address}>`
}
