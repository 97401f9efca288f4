import { saysNone } from './failure.ts'
import { newResolver } from './lookup.ts'

/**
 * The mail servers of a domain, best first; none when it takes no mail. Rejects when its name servers
 * give no answer.
 */
export type MailLookupFn = (domain: string) => Promise<string[]>

export const createMailLookup =
  (makeResolver = newResolver): MailLookupFn =>
  async (domain) =>
    (await askRecords(makeResolver().resolveMx(domain)))
      .filter(({ exchange }) => exchange !== nullExchange)
      .sort((a, b) => a.priority - b.priority)
      .map(({ exchange }) => exchange)

/** RFC 7505: a single MX that names the root says that the domain takes no mail. */
const nullExchange = ''

/**
 * The TXT records of a name, each in one piece; none when it has none. Rejects when its name servers
 * give no answer.
 */
export type TextLookupFn = (name: string) => Promise<string[]>

export const createTextLookup =
  (makeResolver = newResolver): TextLookupFn =>
  async (name) =>
    (await askRecords(makeResolver().resolveTxt(name))).map((parts) => parts.join(''))

const askRecords = <Record>(asked: Promise<Record[]>): Promise<Record[]> =>
  asked.catch((error) => {
    if (saysNone(error)) return []
    throw error
  })
