import { scanHtml } from '../../../kernel/html/scan.ts'

/**
 * Ends each paragraph before what cannot stand in one, as a browser does that reads it: a signature of
 * paragraphs or a table, for one, that is placed in a paragraph of the body.
 */
export function endParagraphs(html: string): string {
  const out: string[] = []
  let at = 0
  /** The paragraph that is open: where its tag lies in `out`, and where that ends in the text. */
  let open: { tag: number; end: number } | undefined
  for (const { name, isEnd, start, end } of scanHtml(html)) {
    if (!blocks.has(name)) continue
    out.push(html.slice(at, start))
    at = end
    if (isEnd) {
      if (name !== 'p' || open) out.push(html.slice(start, end))
      open = undefined
      continue
    }
    // One that holds nothing yet need not be.
    if (open && html.slice(open.end, start).trim() === '') out[open.tag] = ''
    else if (open) out.push('</p>')
    open = name === 'p' ? { tag: out.length, end } : undefined
    out.push(html.slice(start, end))
  }
  return out.join('') + html.slice(at)
}

/** Elements that end a paragraph when they begin, and the parts of a table, which end one with themselves. */
const blocks = new Set(
  `address article aside blockquote center details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6
  header hr main nav ol p pre section table ul li dd dt td th tr`.split(/\s+/),
)
