import { fold, wordsOf } from '../../kernel/fold.ts'

/** What makes a company the same in the next import: its domain, else its name. */
export const companyKey = (domain: string | null, name: string | null): string =>
  domain === null ? `n:${sameness(name ?? '')}` : `d:${domain}`

/** The key of a person who has this address, folded. */
export const addressKey = (folded: string) => `e:${folded}`

/** Of a person without an address. The same profile is written in many ways. */
export const profileKey = (url: string) => `l:${profileOf(url)}`

/** The key, and those of the same profile with its letters escaped otherwise: `jos%C3%A9` is `josé`. */
export function profileKeys(url: string): string[] {
  const key = profileKey(url)
  try {
    const plain = decodeURIComponent(key)
      .normalize('NFC')
      .replace(/^l:in\/.*/, lower)
    return [...new Set([key, plain, encodeURI(plain).replace(/%../g, lower)])]
  } catch {
    // It has a percent sign that escapes nothing.
    return [key]
  }
}

const lower = (text: string) => text.toLowerCase()

/** Of a person of whom nothing but a name and a company is known. Undefined when that is too little. */
export function nameKey(
  first: string | null,
  last: string | null,
  company: string | undefined,
): string | undefined {
  const name = sameness(`${first ?? ''} ${last ?? ''}`.trim())
  return name === '' || company === undefined ? undefined : `n:${name}@${company}`
}

/** The address in a key. */
export const addressIn = (key: string) => (key.startsWith('e:') ? key.slice(2) : undefined)

/** The domain in the key of a company. */
export const domainIn = (key: string) => (key.startsWith('d:') ? key.slice(2) : undefined)

/** Names without letters or digits are told apart by what they have. */
const sameness = (name: string) => wordsOf(name).join(' ') || fold(name)

/** Ids of the Sales Navigator mind the case. */
function profileOf(url: string): string {
  const profile = /linkedin\.com\/(?:in|pub)\/([^/?#\s]+)/i.exec(url)?.[1]
  if (profile) return `in/${profile.toLowerCase()}`
  const lead = /linkedin\.com\/sales\/(?:lead|people)\/([^,/?#\s]+)/i.exec(url)?.[1]
  return lead
    ? `sales/${lead}`
    : url
        .replace(/^[a-z]+:\/\/(?:www\.)?/i, '')
        .replace(/[/?#\s]+$/, '')
        .toLowerCase()
}
