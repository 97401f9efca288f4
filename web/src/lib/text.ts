/** `key created` is "Key created". */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A sentence of the server about a field, which begins with where it stands in the body, with its label. */
export function named({ path, message }: { path: string; message: string }, label: string): string {
  const parts = path.slice(1).split('/')
  const names = parts.map((_, index) => parts.slice(index).join('.'))
  const name = names.find((each) => message.startsWith(`${each} `))
  return label && name ? label + message.slice(name.length) : message
}

interface Named {
  first_name: string | null
  last_name: string | null
}

/** Empty, where neither is known. */
export const fullName = ({ first_name, last_name }: Named): string =>
  [first_name, last_name].filter(Boolean).join(' ')

/**
 * A text beside another, by words: what both begin with, what stands in this one in the place where they
 * differ, and what both end with.
 */
export function partsBeside(text: string, other: string): [string, string, string] {
  const [words, others] = [text, other].map((each) => each.split(/(?<=\s)/)) as [string[], string[]]
  const most = Math.min(words.length, others.length)
  let start = 0
  while (start < most && words[start] === others[start]) start += 1
  let end = 0
  while (end < most - start && words.at(-1 - end) === others.at(-1 - end)) end += 1
  const until = words.length - end
  const parts = [words.slice(0, start), words.slice(start, until), words.slice(until)]
  return parts.map((part) => part.join('')) as [string, string, string]
}
