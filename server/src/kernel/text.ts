/** As PostgreSQL stores it: there is no text with NUL, and UTF-8 has no halves of a surrogate pair. */
export const storable = (text: string, charactersMax = text.length): string => {
  const cut = text.slice(0, charactersMax)
  return (cut.includes('\0') ? cut.replaceAll('\0', '') : cut).toWellFormed()
}

const snippetCharactersMax = 200

/** The beginning of a text on one line, for lists: at most 200 characters, and a mark where it is cut. */
export function snippetOf(text: string): string {
  const start = text.slice(0, 4 * snippetCharactersMax).replace(/[\ud800-\udbff]$/, '')
  const line = start.replace(/\s+/g, ' ').trim()
  const characters = [...line]
  if (characters.length <= snippetCharactersMax) return line
  return `${characters.slice(0, snippetCharactersMax).join('')}…`
}
