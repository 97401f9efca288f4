import { type HtmlPiece, scanHtml } from '../../kernel/html/scan.ts'
import { htmlToText } from '../../kernel/html/text.ts'
import { storable } from '../../kernel/text.ts'
import type { LinkedMail, TrackingLinks } from '../tracking/index.ts'
import { showLines } from './html/lines.ts'
import { rewriteLinks } from './html/links.ts'
import { endParagraphs } from './html/paragraphs.ts'
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
  isTextOnly: boolean
}

/** Adds to a rendered body what its author did not write: signature, plain text, tracking. */
export function finishBody(compiled: CompiledStep, rendered: string, around: Around): Body {
  const html = showLines(storable(withSignature(compiled, rendered, around.mailbox)))
  const pieces = scanHtml(html)
  const text = htmlToText(html, pieces)
  if (around.isTextOnly) return { text, html: null, trackedHtml: null }
  return { text, html, trackedHtml: withTracking(compiled, html, pieces, around) }
}

/** Where the author of the step places the signature, it is there already. */
function withSignature(
  { placesSignature }: CompiledStep,
  rendered: string,
  { signature }: ComposeInput['mailbox'],
): string {
  if (!signature) return rendered
  if (placesSignature) return endParagraphs(rendered)
  return insertAtEnd(rendered, `\n<div>${signature}</div>\n`)
}

function withTracking(
  { tracksLinks, tracksOpens }: CompiledStep,
  html: string,
  pieces: HtmlPiece[],
  { mail, links, unsubscribeUrl }: Around,
): string {
  const imageUrl = tracksOpens ? links.open(mail) : null
  const linked = tracksLinks
    ? rewriteLinks(html, pieces, (url) => (url === unsubscribeUrl ? url : links.click(mail, url)))
    : html
  if (imageUrl === null) return linked
  const image = `<img src="${imageUrl}" width="1" height="1" alt="" style="border:0">`
  return insertAtEnd(linked, image)
}

/** Inside of the document, where it is one. */
function insertAtEnd(html: string, added: string): string {
  if (!/<\/(?:body|html)/i.test(html)) return html + added
  const pieces = scanHtml(html)
  const end =
    pieces.findLast(({ name, isEnd }) => isEnd && name === 'body') ??
    pieces.findLast(({ name, isEnd }) => isEnd && name === 'html')
  const at = end?.start ?? html.length
  return html.slice(0, at) + added + html.slice(at)
}
