import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2'

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
  /** The place of its value, between quotes if it has any; as it is written, references included. */
  from: number
  to: number
}

/**
 * The tags of a text in order, as a browser would find them; between them is text. One pass, however
 * broken the HTML is: a tag that never ends takes the rest.
 */
export function scanHtml(html: string): HtmlPiece[] {
  if (!html.includes('<')) return []
  const collector = new PieceCollector(html)
  const tokenizer = new Tokenizer({ decodeEntities: false }, collector)
  tokenizer.write(html)
  tokenizer.end()
  return collector.pieces
}

/** The tokenizer reports where text and names stand; a piece reaches up to what is reported next. */
class PieceCollector implements TokenizerCallbacks {
  readonly pieces: HtmlPiece[] = []
  readonly #html: string
  /** The last piece, while its end is not known. */
  #open: HtmlPiece | undefined
  /** The end of the text before. */
  #textEnd = 0
  #isRaw = false
  #attribute = ''

  constructor(html: string) {
    this.#html = html
  }

  ontext(start: number, end: number) {
    // A tag that is cut off behind a slash is reported as text from -1 on.
    if (start < 0) return
    this.#close(start)
    if (this.#isRaw) this.pieces.push({ ...notTag, start, end })
    this.#textEnd = end
  }

  onopentagname(start: number, end: number) {
    const name = this.#nameAt(start, end)
    this.#isRaw = rawElements.has(name)
    this.#begin({ start: start - 1, end, name, isEnd: false, attributes: [] })
  }

  onclosetag(start: number, end: number) {
    this.#isRaw = false
    const name = this.#nameAt(start, end)
    this.#begin({ start: start - 2, end, name, isEnd: true, attributes: [] })
  }

  onattribname(start: number, end: number) {
    this.#attribute = this.#nameAt(start, end)
  }

  onattribdata(from: number, to: number) {
    this.#open?.attributes.push({ name: this.#attribute, from, to })
  }

  oncomment(start: number, end: number) {
    this.#begin({ ...notTag, start: this.#html.lastIndexOf('<', start - 1), end })
  }

  oncdata(start: number, end: number) {
    this.oncomment(start, end)
  }

  ondeclaration(start: number, end: number) {
    this.oncomment(start, end)
  }

  onprocessinginstruction(start: number, end: number) {
    this.oncomment(start, end)
  }

  onend() {
    this.#close(this.#html.length)
  }

  onattribend() {}
  onattribentity() {}
  onopentagend() {}
  onselfclosingtag() {}
  ontextentity() {}

  #begin(piece: HtmlPiece) {
    this.#close(piece.start)
    this.pieces.push(piece)
    this.#open = piece
  }

  #close(end: number) {
    if (this.#open) this.#open.end = end
    // What the tokenizer leaves out, as `</>` and a tag that is cut off in its name, is no text either.
    else if (end > this.#textEnd) this.pieces.push({ ...notTag, start: this.#textEnd, end })
    this.#open = undefined
    this.#textEnd = end
  }

  #nameAt(start: number, end: number): string {
    return this.#html.slice(start, end).toLowerCase()
  }
}

const notTag = { name: '', isEnd: false, attributes: [] }

/** What is between their tags is no text. */
const rawElements = new Set('style script title textarea xmp iframe noembed noframes'.split(' '))
