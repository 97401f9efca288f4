/** Whether a text has more than `max` code points, of which each takes one or two UTF-16 units. */
export function hasMoreCharacters(text: string, max: number): boolean {
  if (text.length <= max) return false
  return text.length > 2 * max || [...text].length > max
}
