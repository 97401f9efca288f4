import { Resolver } from 'node:dns/promises'
import { saysNone } from './failure.ts'

/**
 * The mail servers of a domain, best first; none when it takes no mail. Rejects when its name servers
 * give no answer.
 */
export type MailLookupFn = (domain: string) => Promise<string[]>

export function createMailLookup(
  makeResolver: () => Resolver = () => new Resolver({ timeout: 1_500, tries: 2 }),
): MailLookupFn {
  return async (domain) => {
    try {
      const records = await makeResolver().resolveMx(domain)
      return records
        .filter(({ exchange }) => exchange !== nullExchange)
        .sort((a, b) => a.priority - b.priority)
        .map(({ exchange }) => exchange)
    } catch (error) {
      if (saysNone(error)) return []
      throw error
    }
  }
}

/** RFC 7505: a single MX that names the root says that the domain takes no mail. */
const nullExchange = ''
