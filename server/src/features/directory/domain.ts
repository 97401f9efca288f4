import { parseEmail } from '../../kernel/email.ts'

/**
 * The host of a domain, an address of a web site or of an e-mail, folded and without `www.`;
 * undefined where there is none that could be in the public DNS.
 */
export function domainOf(text: string): string | undefined {
  if (usual.test(text) && text.length <= 253) return text
  const host = text
    .trim()
    .replace(/^[a-z][a-z\d+.-]*:\/\//i, '')
    .replace(/[/?#].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d*$/, '')
    .replace(/\.$/, '')
  const domain = parseEmail(`someone@${host}`)?.domain
  return domain?.startsWith('www.') && domain.includes('.', 4) ? domain.slice(4) : domain
}

// Most are written as they are folded.
const usual =
  /^(?!www\.|.*xn--)(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/

/** The domain and those above it, down to two labels. */
export function domainsAbove(domain: string): string[] {
  const labels = domain.split('.')
  return labels.slice(0, -1).map((_, at) => labels.slice(at).join('.'))
}
