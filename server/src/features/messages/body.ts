import type { LinkedMail, TrackingLinks } from '../tracking/index.ts'
import { rewriteLinks } from './html/links.ts'
import { type HtmlPiece, scanHtml } from './html/scan.ts'
import { htmlToText } from './html/text.ts'
import type { CompiledStep, ComposeInput } from './mail.ts'

export interface Body {
  text: string
  /** Without tracking: what is stored and shown, so that our own looking at it counts as nothing. */
  html: string | null
  /** As it is sent. */
  trackedHtml: string | null
}

interface Around {
  mail: LinkedMail
  mailbox: ComposeInput['mailbox']
  links: TrackingLinks
  unsubscribeUrl: string
}

/** Adds to a rendered body what its author did not write: signature, plain text, tracking. */
export function finishBody(compiled: CompiledStep, rendered: string, around: Around): Body {
  // PostgreSQL has no text with NUL, UTF-8 no halves of a pair.
  const body = (rendered.includes('\0') ? rendered.replaceAll('\0', '') : rendered).toWellFormed()
  const { signature } = around.mailbox
  const html =
    signature && !compiled.placesSignature
      ? insertAtEnd(body, scanHtml(body), `\n<div>${signature}</div>\n`)
      : body
  const pieces = scanHtml(html)
  const text = htmlToText(html, pieces)
  if (compiled.isTextOnly) return { text, html: null, trackedHtml: null }
  return { text, html, trackedHtml: withTracking(compiled, html, pieces, around) }
}

function withTracking(
  { tracksLinks, tracksOpens }: CompiledStep,
  html: string,
  pieces: HtmlPiece[],
  { mail, links, unsubscribeUrl }: Around,
): string {
  const image = tracksOpens
    ? `<img src="${links.open(mail)}" width="1" height="1" alt="" style="border:0">`
    : ''
  const linked = tracksLinks
    ? rewriteLinks(html, pieces, (url) => (url === unsubscribeUrl ? url : links.click(mail, url)))
    : html
  if (image === '') return linked
  return insertAtEnd(linked, tracksLinks ? scanHtml(linked) : pieces, image)
}

/** Inside of the document, where it is one. */
function insertAtEnd(html: string, pieces: HtmlPiece[], added: string): string {
  const end = pieces.findLast(({ name, isEnd }) => isEnd && (name === 'body' || name === 'html'))
  const body = pieces.findLast(({ name, isEnd }) => isEnd && name === 'body') ?? end
  const at = body?.start ?? html.length
  return html.slice(0, at) + added + html.slice(at)
}
