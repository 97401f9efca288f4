/** `key created` is "Key created". */
export const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

interface Named {
  first_name: string | null
  last_name: string | null
}

/** Empty, where neither is known. */
export const fullName = ({ first_name, last_name }: Named): string =>
  [first_name, last_name].filter(Boolean).join(' ')
