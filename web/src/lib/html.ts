/** `onclick="…"` and its like, within tags. Already to parse it would be reported as a breach of the policy. */
const handlers = /(<[^>]*?)\son\w+\s*=\s*(?:"[^"]*"|'[^']*'|[^\s>]+)/gi

export function withoutHandlers(html: string): string {
  const quiet = html.replaceAll(handlers, '$1')
  return quiet === html ? html : withoutHandlers(quiet)
}

const hosted = /^\s*(https?:|data:|\/\/)/i

/** Whether an attribute has something loaded that names no host: a mail has none, and ours would be asked. */
export function isHostless(tagName: string, attribute: string, value: string): boolean {
  const isLink = /^(a|area)$/i.test(tagName)
  if (/^srcset$/i.test(attribute)) return !value.split(',').every((each) => hosted.test(each))
  const loads = /^(src|background|poster)$/i.test(attribute) || /^(xlink:)?href$/i.test(attribute)
  return loads && !isLink && !hosted.test(value)
}

/** Styles of which nothing is loaded that names no host. */
export const withoutHostless = (css: string) => css.replaceAll(hostlessUrl, 'none')

const hostlessUrl = /url\(\s*(?!\s|["']?\s*(?:https?:|data:|\/\/))[^)]*\)/gi

/**
 * Whether every reader of a mail can be shown an image of this address, which a variable may begin. They have
 * neither the disk of its author nor the parts of another mail.
 */
export const isOnWeb = (src: string): boolean => /^\s*(https?:\/\/|\{)/i.test(src)
