/** `onclick="…"` and its like, within tags. Already to parse it would be reported as a breach of the policy. */
const handlers = /(<[^>]*?)\son\w+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi

export function withoutHandlers(html: string): string {
  const quiet = html.replaceAll(handlers, '$1')
  return quiet === html ? html : withoutHandlers(quiet)
}
