/** A tag, or what has no text in it: a comment, a declaration, a style. */
export interface HtmlPiece {
  start: number
  end: number
  /** Lower case; empty when it is no tag. */
  name: string
  isEnd: boolean
  attributes: HtmlAttribute[]
}

interface HtmlAttribute {
  /** Lower case. */
  name: string
  /** Where its value stands, between the quotes if it has any; as it is written, references included. */
  from: number
  to: number
}

/**
 * The tags of a text in order, as a browser would find them; between them is text. One pass, however
 * broken the HTML is: what begins a tag and never ends it takes the rest.
 */
export function scanHtml(html: string): HtmlPiece[] {
  const pieces: HtmlPiece[] = []
  for (let at = html.indexOf('<'); at >= 0; ) {
    const piece = readPiece(html, at)
    if (piece) pieces.push(piece)
    let next = piece ? piece.end : at + 1
    if (piece && !piece.isEnd && rawElements.has(piece.name)) {
      const end = endOfRaw(html, next, piece.name)
      pieces.push({ ...none, start: next, end })
      next = end
    }
    at = html.indexOf('<', next)
  }
  return pieces
}

/** What is between their tags is no HTML. */
const rawElements = new Set(['style', 'script', 'title', 'textarea', 'xmp', 'iframe', 'noembed'])

const none = { name: '', isEnd: false, attributes: [] }

function readPiece(html: string, start: number): HtmlPiece | undefined {
  const isEnd = html.charCodeAt(start + 1) === slash
  const from = start + (isEnd ? 2 : 1)
  const first = html.charCodeAt(from)
  if (isLetter(first)) return readTag(html, start, from, isEnd)
  // A `<` with no name behind it is text, as in "1 < 2".
  if (first !== exclamation && first !== question && !isEnd) return
  const isComment = html.startsWith('<!--', start)
  const end = isComment ? endOfComment(html, start) : endAfter(html, '>', from)
  return { ...none, start, end }
}

function readTag(html: string, start: number, from: number, isEnd: boolean): HtmlPiece {
  let at = from
  while (at < html.length && !endsName(html.charCodeAt(at))) at++
  const tag: HtmlPiece = {
    ...{ start, end: html.length, isEnd },
    name: html.slice(from, at).toLowerCase(),
    attributes: [],
  }
  while (at < html.length) {
    const code = html.charCodeAt(at)
    if (code === greater) {
      tag.end = at + 1
      break
    }
    at = isSpace(code) || code === slash ? at + 1 : readAttribute(html, at, tag)
  }
  return tag
}

/** @returns where it ends */
function readAttribute(html: string, start: number, tag: HtmlPiece): number {
  let at = start + 1
  while (at < html.length && !endsName(html.charCodeAt(at)) && html.charCodeAt(at) !== equals) at++
  const name = html.slice(start, at).toLowerCase()
  const nameEnd = at
  at = skipSpaces(html, at)
  if (html.charCodeAt(at) !== equals) return nameEnd
  at = skipSpaces(html, at + 1)
  const quote = html.charAt(at)
  const isQuoted = quote === '"' || quote === "'"
  const from = isQuoted ? at + 1 : at
  let to = from
  if (isQuoted) to = html.indexOf(quote, from) < 0 ? html.length : html.indexOf(quote, from)
  else while (to < html.length && !endsValue(html.charCodeAt(to))) to++
  tag.attributes.push({ name, from, to })
  return isQuoted ? to + 1 : to
}

function endOfComment(html: string, start: number): number {
  // `<!-->` and `<!--->` are whole comments.
  if (html.startsWith('>', start + 4)) return start + 5
  return html.startsWith('->', start + 4) ? start + 6 : endAfter(html, '-->', start + 4)
}

function endAfter(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from)
  return at < 0 ? html.length : at + mark.length
}

function endOfRaw(html: string, from: number, name: string): number {
  const pattern = new RegExp(`</${name}(?=[\\s/>])`, 'gi')
  pattern.lastIndex = from
  return pattern.exec(html)?.index ?? html.length
}

function skipSpaces(html: string, from: number): number {
  let at = from
  while (isSpace(html.charCodeAt(at))) at++
  return at
}

const [slash, greater, equals, exclamation, question] = [0x2f, 0x3e, 0x3d, 0x21, 0x3f]
const isLetter = (code: number) => (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b)
const endsValue = (code: number) => isSpace(code) || code === greater
const endsName = (code: number) => endsValue(code) || code === slash
