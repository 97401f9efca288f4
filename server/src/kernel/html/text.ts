import { decodeEntities } from './entities.ts'
import type { HtmlPiece } from './scan.ts'
import { TextWriter } from './text-writer.ts'

interface TextOptions {
  /** Whether the address of a link is written behind its text. */
  showsLinks?: boolean
  /** Whether a quotation is only a line `>`. */
  dropsQuotes?: boolean
}

/** HTML for a reader of plain text: paragraphs, lists and line breaks kept. */
export function htmlToText(
  html: string,
  pieces: HtmlPiece[],
  { showsLinks = true, dropsQuotes = false }: TextOptions = {},
): string {
  const writer = new TextWriter(showsLinks)
  let hidden: Hidden | undefined
  let at = 0
  for (const piece of pieces) {
    if (!hidden && piece.start > at) writer.text(html.slice(at, piece.start))
    at = piece.end
    if (hidden) hidden = stillHidden(hidden, piece)
    else if (isHidden(html, piece)) hidden = { name: piece.name, depth: 1 }
    else if (dropsQuotes && piece.name === 'blockquote' && !piece.isEnd) {
      writer.line('>')
      hidden = { name: piece.name, depth: 1 }
    } else if (piece.name !== '') writeTag(writer, html, piece)
  }
  if (!hidden && at < html.length) writer.text(html.slice(at))
  return writer.toString()
}

/** Until as many ends as starts of this element were seen. */
interface Hidden {
  name: string
  depth: number
}

function stillHidden({ name, depth }: Hidden, piece: HtmlPiece): Hidden | undefined {
  if (piece.name !== name) return { name, depth }
  const left = depth + (piece.isEnd ? -1 : 1)
  return left > 0 ? { name, depth: left } : undefined
}

/** The preview line that mail programs show in a list, and nobody in the mail. */
function isHidden(html: string, piece: HtmlPiece): boolean {
  if (piece.isEnd || voidElements.has(piece.name)) return false
  const style = attributeOf(html, piece, 'style')
  if (style === undefined) return false
  if (/display\s*:\s*none/i.test(style)) return true
  // A link that only Outlook hides is the button that all others show.
  if (/mso-hide\s*:\s*all/i.test(style)) return piece.name !== 'a'
  return /(?:^|[;\s-])height\s*:\s*0(?![\d.])/i.test(style) && /overflow\s*:\s*hidden/i.test(style)
}

const voidElements = new Set(
  'area base br col embed hr img input link meta source track wbr'.split(' '),
)

function writeTag(writer: TextWriter, html: string, piece: HtmlPiece) {
  const { name, isEnd } = piece
  if (name === 'br') return writer.lineBreak()
  if (name === 'a') return isEnd ? writer.endLink() : writer.startLink(hrefOf(html, piece))
  if (name === 'li') return isEnd ? writer.newLine() : writer.startItem()
  if (name === 'ul' || name === 'ol') {
    return isEnd ? writer.endList() : writer.startList(name === 'ol')
  }
  if (name === 'pre') return writer.preformatted(!isEnd)
  if (name === 'img') return writer.text(attributeOf(html, piece, 'alt') ?? '')
  if (name === 'hr') return writer.line('----------')
  if (name === 'td' || name === 'th') return writer.space()
  if (paragraphs.has(name)) writer.paragraph()
  else if (lines.has(name)) writer.newLine()
}

const paragraphs = new Set('p h1 h2 h3 h4 h5 h6 blockquote table dl figure'.split(' '))
const lines = new Set(
  `div tr section article header footer main nav aside address dt dd center form fieldset caption
  figcaption option body`.split(/\s+/),
)

const hrefOf = (html: string, piece: HtmlPiece) =>
  decodeEntities(attributeOf(html, piece, 'href') ?? '').trim()

/** The value of an attribute as it is written. Of several of one name the first counts, as in a browser. */
function attributeOf(html: string, { attributes }: HtmlPiece, name: string): string | undefined {
  const found = attributes.find((attribute) => attribute.name === name)
  return found && html.slice(found.from, found.to)
}
