import type { Token, TokenBox } from './token.ts'

/**
 * A `mailto:` (RFC 6068) whose mail unsubscribes.
 *
 * @param to address in the form of a URL
 */
export const mailtoUnsubscribe = (to: string, token: string) =>
  `mailto:${to}?subject=Unsubscribe%20%5B${token}%5D`

/**
 * The token by which a mail to one of our mailboxes unsubscribes: in brackets, in its subject or its
 * text. The white space, the quotation marks and the folds that mail programs put into long words
 * are passed over. A link of ours that an answer quotes is none: its brackets are written otherwise.
 *
 * @param parts decoded texts of the mail
 */
export function readUnsubscribeToken(tokens: TokenBox, parts: string[]): Token | undefined {
  for (const part of parts) {
    const text = part.slice(0, charactersMax).replace(/[\s>\u00ad\u200b\u2060\ufeff]+/g, '')
    for (const [, made = ''] of text.matchAll(/\[([\w-]{80,2000})\]/g)) {
      const token = tokens.read(made)
      if (token?.kind === 'unsubscribe') return token
    }
  }
  return undefined
}

/** The token stands at the beginning of a mail. */
const charactersMax = 20_000
