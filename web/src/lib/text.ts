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
