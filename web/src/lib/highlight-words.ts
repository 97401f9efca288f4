/** The name of the highlight in style sheets, ours and those of mails: `::highlight(found)`. */
const highlightName = 'found'

/**
 * Highlights words wherever they stand in an element, in its own document or in a frame's. The browser
 * paints over the text, which stays as it is: no link, no layout and no selection of a mail can be broken.
 *
 * @returns removes the highlight; a browser without highlights shows none
 */
export function highlightWords(root: Element, words: readonly string[]): () => void {
  const view = root.ownerDocument.defaultView as (Window & typeof globalThis) | null
  const pattern = patternOf(words)
  if (!view?.CSS.highlights || !pattern) return () => undefined
  const highlight = view.CSS.highlights.get(highlightName) ?? new view.Highlight()
  view.CSS.highlights.set(highlightName, highlight)
  const ranges = textsIn(root, view).flatMap((text) => rangesOf(text, pattern))
  for (const range of ranges) highlight.add(range)
  return () => {
    for (const range of ranges) highlight.delete(range)
  }
}

/** Whether one of the words stands in a text. */
export const hasWord = (text: string, words: readonly string[]) =>
  patternOf(words)?.test(text) ?? false

const letter = String.raw`[\p{L}\p{N}\p{M}]`
const unspaced =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u

/** Whole words, but for scripts that put no spaces between them. */
function patternOf(words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined
  const alternatives = words
    .toSorted((a, b) => b.length - a.length)
    .map((word) => {
      const exact = word.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)
      return unspaced.test(word) ? exact : `(?<!${letter})${exact}(?!${letter})`
    })
  return new RegExp(alternatives.join('|'), 'gu')
}

/** What is read without a break: a word may begin in one element and end in the next. */
function textsIn(root: Element, view: Window & typeof globalThis): Text[][] {
  const texts: Text[][] = []
  const { SHOW_ELEMENT, SHOW_TEXT } = view.NodeFilter
  const walker = root.ownerDocument.createTreeWalker(root, SHOW_ELEMENT | SHOW_TEXT)
  let block: Element | undefined
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (node.nodeName === 'BR') block = undefined
    if (node.nodeType !== node.TEXT_NODE) continue
    const own = blockOf(node as Text, root, view)
    if (own !== block) texts.push([])
    texts.at(-1)?.push(node as Text)
    block = own
  }
  return texts
}

function blockOf(text: Text, root: Element, view: Window): Element {
  let element = text.parentElement ?? root
  while (element !== root && view.getComputedStyle(element).display === 'inline') {
    element = element.parentElement ?? root
  }
  return element
}

function rangesOf(texts: Text[], pattern: RegExp): Range[] {
  const whole = texts.map(({ data }) => data).join('')
  return [...whole.matchAll(pattern)].map(({ 0: word, index }) => {
    const range = (texts[0] as Text).ownerDocument.createRange()
    range.setStart(...positionOf(texts, index))
    // Its last character is in the text, and the end of the whole need not be in another one.
    const [last, at] = positionOf(texts, index + word.length - 1)
    range.setEnd(last, at + 1)
    return range
  })
}

function positionOf(texts: Text[], index: number): [Text, number] {
  let before = 0
  for (const text of texts) {
    if (index < before + text.length) return [text, index - before]
    before += text.length
  }
  throw new Error('The position is outside of the texts.')
}
