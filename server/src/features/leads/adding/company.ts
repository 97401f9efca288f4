import providers from 'email-providers/all.json' with { type: 'json' }
import { getDomain } from 'tldts'
import { domainOfAddress } from '../../../kernel/email.ts'

/**
 * The organisation behind a folded address, by the domain it registered; null where a domain says
 * nothing of it: at mail providers, strangers are neighbours.
 */
export function companyOf(foldedAddress: string): string | null {
  const host = domainOfAddress(foldedAddress)
  const domain = getDomain(host, { allowPrivateDomains: true, validateHostname: false })
  return domain === null || freeMail.has(domain) || freeMail.has(host) ? null : domain
}

/** What a lead of the campaign is stopped by. Where it stops for companies no more nothing looks at it. */
export const companyIn = (
  { stop_for_company }: { stop_for_company: boolean },
  { email_folded, company }: { email_folded: string; company: string | null },
): string | null => (stop_for_company ? companyOf(email_folded) : company)

/** What the list has not, and without what it should not have. */
const alsoFreeMail = [
  'bbox.fr',
  'duck.com',
  'fastmail.com',
  'gmx.ch',
  'posteo.de',
  'tuta.com',
  'tuta.io',
  'tutanota.com',
  'ziggo.nl',
]
const freeMail = new Set([...providers, ...alsoFreeMail])
freeMail.delete('example.com')
