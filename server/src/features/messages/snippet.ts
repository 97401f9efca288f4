const charactersMax = 200

/** The beginning of a text on one line, for a list. */
export function snippetOf(text: string): string {
  const line = text
    .slice(0, 4 * charactersMax)
    .replace(/\s+/g, ' ')
    .trim()
  if (line.length <= charactersMax) return line
  return `${line.slice(0, charactersMax - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
