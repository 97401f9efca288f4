import { domainToASCII } from 'node:url'
import { inLetters, parseEmail } from '../../kernel/email.ts'

/** Why nobody writes to it. Of two of an entry the one that stands first holds. */
export const suppressionReasons = ['unsubscribed', 'bounced', 'blocked'] as const
export type SuppressionReason = (typeof suppressionReasons)[number]

/** What a suppression is about, folded. */
export interface SuppressionEntry {
  kind: 'address' | 'domain'
  value: string
}

/** Reads `ann@example.com`, `example.com`, `@example.com` or `*@example.com`, however it is written. */
export function parseEntry(text: string): SuppressionEntry | undefined {
  // Everybody there, in the lists of other programs. As an address it is valid, and nobody has it.
  const typed = text.trim().replace(/^\*@/, '@')
  const address = parseEmail(typed)
  if (address) return { kind: 'address', value: address.folded }
  // A domain is what may stand behind the @ of an address.
  const domain = parseEmail(`x@${typed.replace(/^@/, '')}`)?.domain
  return domain === undefined ? undefined : { kind: 'domain', value: domain }
}

/** Whether it stands for an address of which nothing but its hash is known: its person was erased. */
export const isErasedEntry = (value: string) => /^sha256:[\da-f]{64}$/.test(value)

/** What to look for in folded values: a domain in letters, as they are shown, is there as `xn--…`. */
export function foldedSearch(text: string): string {
  const at = text.lastIndexOf('@') + 1
  const domain = text.slice(at)
  // Digits alone would be read as an address of a host.
  const ascii = /[^\0-\x7f]/.test(domain) ? domainToASCII(domain) : ''
  return text.slice(0, at) + (ascii || domain)
}

/** A folded value as a person reads it. */
export const shownEntry = (value: string) => (isErasedEntry(value) ? value : inLetters(value))
