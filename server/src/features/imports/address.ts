/** `Ann <ann@example.com>` and `mailto:ann@example.com` are how some programs write an address. */
export const addressIn = (text: string) =>
  (/<([^<>]+)>\s*$/.exec(text)?.[1] ?? text).trim().replace(/^mailto:/i, '')
