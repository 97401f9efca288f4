import type { Context } from '../../kernel/context.ts'

type MailRecord = 'SPF' | 'DKIM' | 'DMARC'

/** What one record of a domain says to those who receive its mail. */
export interface DomainFinding {
  record: MailRecord
  status: 'ok' | 'warn'
  detail: string
  remedy: string | null
}

type TextLookup = Pick<Context, 'lookupText'>

/**
 * Whether receivers can tell that mail of this domain is not forged; Gmail, Yahoo and Outlook refuse
 * much of what they cannot tell it of. Nothing here is certain: it never keeps a mailbox from sending.
 *
 * @param domain in ASCII form
 */
export async function checkMailDomain(ctx: TextLookup, domain: string): Promise<DomainFinding[]> {
  const checks = { SPF: checkSpf, DKIM: checkDkim, DMARC: checkDmarc }
  return await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<DomainFinding> => {
      const record = name as MailRecord
      try {
        const { detail, remedy = null } = await check(ctx, domain)
        return { record, status: remedy === null ? 'ok' : 'warn', detail, remedy }
      } catch {
        const remedy = 'Look again later, or check the name servers of this machine.'
        return { record, status: 'warn', detail: 'the name servers gave no answer', remedy }
      }
    }),
  )
}

interface Answer {
  detail: string
  remedy?: string
}

async function checkSpf(ctx: TextLookup, domain: string): Promise<Answer> {
  const records = (await ctx.lookupText(domain)).filter((text) => /^v=spf1( |$)/i.test(text))
  const [record = ''] = records
  if (records.length === 0) {
    const remedy = 'Add the TXT record that the provider of the mailbox gives.'
    return { detail: 'the domain has none', remedy }
  }
  if (records.length > 1) {
    const remedy = 'Make one TXT record of them: with several, all are void.'
    return { detail: `the domain has ${records.length} of them`, remedy }
  }
  if (/ \+?all\b/i.test(record)) {
    return { detail: 'everybody may send for the domain', remedy: 'End it with ~all or -all.' }
  }
  return { detail: 'found' }
}

/** There is no list of a domain's selectors: these are the names that large providers use. */
const selectors = [
  ...['google', 'selector1', 'selector2', 'default', 'dkim', 'mail', 'email', 'smtp'],
  ...['k1', 'k2', 'k3', 's1', 's2', 'zoho', 'zmail', 'fm1', 'fm2', 'fm3', 'protonmail'],
  ...['mxvault', 'sig1', 'mandrill', 'mailo', 'titan1', 'hostingermail1', 'x', 'key1'],
]

async function checkDkim(ctx: TextLookup, domain: string): Promise<Answer> {
  const answers = await Promise.allSettled(
    selectors.map(async (selector) => ({
      selector,
      texts: await ctx.lookupText(`${selector}._domainkey.${domain}`),
    })),
  )
  const known = answers.filter((answer) => answer.status === 'fulfilled')
  const found = known.find(({ value }) =>
    value.texts.some((text) => /\bp=[A-Za-z0-9+/]/.test(text)),
  )
  if (found) return { detail: `found under the selector ${found.value.selector}` }
  if (known.length < selectors.length) throw new Error('no answer')
  return {
    detail: 'no key under the usual selectors',
    remedy:
      'Unless it uses a selector of its own, switch DKIM on at the provider of the mailbox: it makes ' +
      'the key, and shows the records to copy.',
  }
}

/** Unlike SPF it holds for the domains below as well (RFC 7489 §6.6.3). */
async function checkDmarc(ctx: TextLookup, domain: string): Promise<Answer> {
  const labels = domain.split('.')
  for (let from = 0; from <= labels.length - 2; from++) {
    const name = labels.slice(from).join('.')
    const records = await ctx.lookupText(`_dmarc.${name}`)
    const record = records.find((text) => /^v=DMARC1\s*(;|$)/i.test(text))
    if (record === undefined) continue
    const policy = /(?:^|;)\s*p\s*=\s*(none|quarantine|reject)\b/i.exec(record)?.[1]?.toLowerCase()
    if (policy) return { detail: `found, with the policy ${policy}` }
    return { detail: 'a record without a policy', remedy: 'Give it one, at least p=none.' }
  }
  return {
    detail: 'the domain has none',
    remedy: `Add a TXT record _dmarc.${domain}, at least "v=DMARC1; p=none".`,
  }
}
