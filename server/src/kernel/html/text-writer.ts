import { decodeEntities } from './entities.ts'

/** Puts pieces of HTML together as lines: white space is folded as a browser folds it. */
export class TextWriter {
  private out = ''
  /** Line ends before the next word. */
  private wanted = 0
  private spaceWanted = false
  private isLineStart = true
  private isPreformatted = false
  /** The number of the next item of each open list; undefined: its items have dots. */
  private readonly lists: (number | undefined)[] = []
  /** The number or dot of an item that has no word yet. */
  private marker = ''
  private link: { href: string; text: string } | undefined
  private readonly showsLinks: boolean

  constructor(showsLinks: boolean) {
    this.showsLinks = showsLinks
  }

  /** Text as it stands in HTML. */
  text(html: string) {
    if (this.isPreformatted) return this.preformattedText(decodeEntities(html))
    // A space alone, which nearly all are, is left as it is.
    const folded = html.replace(/[\t\n\r\f][ \t\n\r\f]*| [ \t\n\r\f]+/g, ' ')
    if (folded === ' ' || folded === '') {
      this.spaceWanted ||= folded !== ''
      return
    }
    const [from, to] = [Number(folded.startsWith(' ')), Number(folded.endsWith(' '))]
    this.spaceWanted ||= from > 0
    this.write(decodeEntities(folded.slice(from, folded.length - to)))
    this.spaceWanted = to > 0
  }

  space() {
    this.spaceWanted = true
  }

  /** Counts even where a line has just begun. */
  lineBreak() {
    this.wanted = Math.min(this.wanted + 1, 3)
    this.spaceWanted = false
  }

  newLine() {
    this.want(1)
  }

  paragraph() {
    this.want(this.lists.length > 0 ? 1 : 2)
  }

  /** A line of its own, which is text and not HTML. */
  line(text: string) {
    this.want(1)
    this.write(text)
    this.want(1)
  }

  startList(isNumbered: boolean) {
    this.paragraph()
    this.lists.push(isNumbered ? 1 : undefined)
  }

  endList() {
    this.lists.pop()
    this.paragraph()
  }

  startItem() {
    this.marker = ''
    this.want(1)
    const number = this.lists.at(-1)
    if (number !== undefined) this.lists[this.lists.length - 1] = number + 1
    const indent = '  '.repeat(Math.max(0, this.lists.length - 1))
    this.marker = `${indent}${number === undefined ? '-' : `${number}.`} `
  }

  preformatted(isStart: boolean) {
    this.paragraph()
    this.isPreformatted = isStart
  }

  startLink(href: string) {
    if (!this.showsLinks) return
    this.endLink()
    this.link = { href, text: '' }
  }

  /** "the page <https://…>", once where the text is the address already. */
  endLink() {
    if (!this.link) return
    const { href, text } = this.link
    this.link = undefined
    const target = shownTarget(href)
    if (target === '' || bare(target) === bare(text.trim())) return
    if (text.trim() !== '') this.spaceWanted = true
    this.write(text.trim() === '' ? target : `<${target}>`)
  }

  toString() {
    // White space at the end of a line is what preformatted text and `&nbsp;` leave.
    if (!/[ \t\u00a0]\n|\u00a0/.test(this.out)) return this.out.trim()
    const lines = this.out.replaceAll('\u00a0', ' ').split('\n')
    const text = lines.map((line) => line.trimEnd()).join('\n')
    return text.replace(/\n{4,}/g, '\n\n\n').trim()
  }

  private want(lineEnds: number) {
    // What is between an item's dot and its first word stays on its line.
    if (this.marker === '') this.wanted = Math.max(this.wanted, lineEnds)
    this.spaceWanted = false
  }

  private write(text: string) {
    if (this.out !== '' && this.wanted > 0) {
      this.out += '\n'.repeat(this.wanted)
      this.isLineStart = true
    } else if (this.spaceWanted && !this.isLineStart) {
      this.put(' ')
    }
    this.wanted = 0
    this.spaceWanted = false
    this.out += this.marker
    this.marker = ''
    this.put(text)
  }

  private put(text: string) {
    this.out += text
    this.isLineStart = false
    if (this.link) this.link.text += text
  }

  private preformattedText(text: string) {
    for (const [index, line] of text.split(/\r\n?|\n/).entries()) {
      if (index > 0) this.lineBreak()
      if (line !== '') this.write(line)
    }
  }
}

/** Empty for what leads nowhere outside of the mail. */
function shownTarget(href: string): string {
  if (/^https?:/i.test(href)) return href
  const [, address = ''] = /^(?:mailto|tel):([^?]*)/i.exec(href) ?? []
  return address
}

const bare = (address: string) => address.replace(/^https?:\/\//i, '').replace(/\/$/, '')
