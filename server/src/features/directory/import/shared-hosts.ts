import { domainOf } from '../domain.ts'

/** Where everybody may have an address: the domain of one there is no company's. */
const mailHosts = new Set(
  'gmail.com googlemail.com outlook.com hotmail.com live.com msn.com yahoo.com ymail.com icloud.com me.com mac.com aol.com gmx.com gmx.de gmx.net web.de t-online.de proton.me protonmail.com mail.com zoho.com fastmail.com mail.ru yandex.ru yandex.com qq.com 163.com 126.com naver.com orange.fr free.fr libero.it'.split(
    ' ',
  ),
)

/** Where companies have a page that is not their own site. */
const pageHosts = new Set(
  'linkedin.com facebook.com instagram.com twitter.com x.com youtube.com tiktok.com github.com crunchbase.com linktr.ee sites.google.com'.split(
    ' ',
  ),
)

export const isMailHost = (domain: string) => mailHosts.has(domain)

/** The domain of a company's own site; undefined for a page among those of others. */
export function domainOfSite(website: string): string | undefined {
  const domain = domainOf(website)
  if (domain === undefined || isMailHost(domain)) return undefined
  const host = [...pageHosts].find((each) => domain === each || domain.endsWith(`.${each}`))
  return host !== undefined && hasPath.test(website) ? undefined : domain
}

const hasPath = /[^/:]\/[^/\s]/
