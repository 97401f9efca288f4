/** A text that PostgreSQL can store: without NUL, and without halves of surrogate pairs, which UTF-8 has not. */
export const storable = (text: string, charactersMax = text.length): string => {
  const cut = text.slice(0, charactersMax)
  return (cut.includes('\0') ? cut.replaceAll('\0', '') : cut).toWellFormed()
}

/** Of at most so many UTF-16 units; never half a surrogate pair, which is no text. */
export const beginningOf = (text: string, unitsMax: number): string =>
  text.slice(0, unitsMax).replace(/[\ud800-\udbff]$/, '')

const snippetCharactersMax = 200

/** The beginning of a text on one line, for lists: at most 200 characters, and a mark where it is cut. */
export function snippetOf(text: string): string {
  const start = beginningOf(text, 4 * snippetCharactersMax)
  // A space alone, which nearly all are, is left as it is: that is four times as fast.
  const line = start.replace(/[^\S ]\s*| \s+/g, ' ').trim()
  const cut = firstCharacters(line, snippetCharactersMax)
  return cut.length < line.length ? `${cut}…` : line
}

/** Only surrogate pairs have to be told apart, which takes longer than all the rest. */
function firstCharacters(line: string, count: number): string {
  if (!/[\ud800-\udbff]/.test(line)) return line.slice(0, count)
  return [...line].slice(0, count).join('')
}

/** A number with its noun, and what agrees with it. */
export const counted = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`

/** The first three, and how many more there are. */
export const firstOf = (all: readonly string[]): string => {
  const more = all.length - namedMax
  return `${all.slice(0, namedMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

const namedMax = 3
