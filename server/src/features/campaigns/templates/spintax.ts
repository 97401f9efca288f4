import { type Liquid, TagToken, Tokenizer, type TopLevelToken, TypeGuards } from 'liquidjs'

/** A group that never closes, or one too many. `at` is the offset of the mark that is wrong. */
export class SpintaxError extends Error {
  override name = 'SpintaxError'
  readonly at: number
  constructor(problem: string, at: number) {
    super(problem)
    this.at = at
  }
}

/** Names that no template can write as a tag's, so only marks in its text become these tags. */
export const spintaxTag = { open: '{', or: '|', close: '}' } as const

/**
 * Turns the spintax in the text between Liquid's tokens into tags, so that Liquid nests both.
 * A group is a `{` and its `}` with a `|` between them, on the same level; every other brace or
 * bar is text (CSS, prose). What stands in `<style>`, `<script>`, `raw` and `comment` is left alone.
 *
 * @param tokensMax how many there may be afterwards
 */
export function tokensWithSpintax(
  tokens: TopLevelToken[],
  liquid: Liquid,
  tokensMax: number,
): TopLevelToken[] {
  const texts = textsWithSpintax(tokens)
  // Each is a token more, and so is the text behind it.
  const marksMax = (tokensMax - tokens.length) / 2
  const marks = [...findMarks(texts, marksMax)].sort((a, b) => a - b)
  if (marks.length === 0) return tokens
  const tag = new TagToken('{% spintax %}', 0, 13, liquid.options)
  let next = 0
  return tokens.flatMap((token) => {
    if (!TypeGuards.isHTMLToken(token) || !texts.has(token)) return [token]
    const first = next
    while ((marks[next] ?? token.end) < token.end) next++
    return first === next ? [token] : split(token, marks.slice(first, next), tag)
  })
}

function textsWithSpintax(tokens: TopLevelToken[]): Set<TextToken> {
  const texts = new Set<TextToken>()
  let until: string | undefined
  for (const token of tokens) {
    if (TypeGuards.isTagToken(token)) {
      if (until === undefined && /^(?:raw|comment)$/.test(token.name)) until = `end${token.name}`
      else if (token.name === until) until = undefined
    }
    if (until === undefined && TypeGuards.isHTMLToken(token)) texts.add(token)
  }
  return texts
}

type TextToken = ReturnType<Tokenizer['readHTMLToken']>

interface Brace {
  at: number
  bars: number[]
}

const markPattern = /[{|}]|<(?<slash>\/?)(?<element>style|script)(?![\w-])/gi

/** Offsets of the marks of whole groups. A bar is counted where it is found: its group closes, or is refused. */
function findMarks(texts: Set<TextToken>, marksMax: number): Set<number> {
  const marks = new Set<number>()
  const open: Brace[] = []
  let found = 0
  let inside: string | undefined
  for (const text of texts) {
    for (const { 0: mark, index, groups } of text.getText().matchAll(markPattern)) {
      const at = text.begin + index
      const element = groups?.element?.toLowerCase()
      if (element && groups?.slash) inside = inside === element ? undefined : inside
      else if (element) inside ??= element
      else if (inside) continue
      else if (mark === spintaxTag.open) open.push({ at, bars: [] })
      else if (mark === spintaxTag.or) {
        const bars = open.at(-1)?.bars
        if (!bars) continue
        // The first one makes marks of the braces around it, too.
        found += bars.push(at) === 1 ? 3 : 1
        if (found > marksMax) throw new SpintaxError('The template has too much spintax', at)
      } else {
        const { at: start = at, bars = [] } = open.pop() ?? {}
        if (bars.length > 0) for (const each of [start, ...bars, at]) marks.add(each)
      }
    }
  }
  const unclosed = open.find(({ bars }) => bars.length > 0)
  if (unclosed) throw new SpintaxError('A spintax group has no end', unclosed.at)
  return marks
}

function split(text: TextToken, marks: number[], tag: TagToken): TopLevelToken[] {
  const { input } = text
  // White space that a neighbour trims ({%- -%}) is on the outside of every mark.
  const [begin, end] = [text.begin + text.trimLeft, text.end - text.trimRight]
  const reader = new Tokenizer(input, undefined, undefined, [begin, end])
  const readText = (until: number) => {
    reader.N = until
    return reader.readHTMLToken([])
  }
  const pieces: TopLevelToken[] = []
  for (const at of marks) {
    pieces.push(readText(at), markToken(tag, input, at))
    reader.p = at + 1
  }
  return [...pieces, readText(end)]
}

/** Made from one tag, because a tag of its own costs more than all else. */
const markToken = (tag: TagToken, input: string, at: number) =>
  Object.assign(Object.create(tag) as TagToken, {
    name: input.charAt(at),
    input,
    begin: at,
    end: at + 1,
  })
