import { domainToASCII, domainToUnicode } from 'node:url'
import { hasMoreCharacters } from './characters.ts'

export interface EmailAddress {
  /** As typed, without the white space around it. */
  email: string
  /** What makes two spellings one address: unique in a campaign, looked up, suppressed. */
  folded: string
  /** In ASCII form, lower case. */
  domain: string
}

/**
 * Reads one bare address by syntax alone: the dot-atom form of RFC 5321 §4.1.2 with the Unicode
 * local part of RFC 6531 §3.3, and a domain that could be in the public DNS. Quoted local parts,
 * comments, display names, address literals (`[192.0.2.1]`) and hosts without a dot are legal
 * elsewhere, but in a list of people to write to they are mistakes: nothing is answered.
 */
export function parseEmail(text: string): EmailAddress | undefined {
  const email = text.trim()
  const plain = foldPlain(email)
  if (plain !== undefined) {
    return { email, folded: plain, domain: plain.slice(plain.indexOf('@') + 1) }
  }
  if (hasMoreCharacters(email, charactersMax)) return
  const at = email.lastIndexOf('@')
  if (at < 1) return
  const local = email.slice(0, at)
  if (refused.test(local) || strayDot.test(local)) return
  if (Buffer.byteLength(local) > localOctetsMax) return
  const domain = foldDomain(email.slice(at + 1))
  if (domain === undefined) return
  return { email, folded: `${foldLocal(local)}@${domain}`, domain }
}

/** An address in a query, where a `+` that was not encoded arrives as a space: none is at its end. */
export const emailInQuery = (text: string) => text.trimEnd().replaceAll(' ', '+')

/** What stands behind its last `@`; of a text without one, the text. */
export const domainOfAddress = (address: string) => address.slice(address.lastIndexOf('@') + 1)

/** The typed form; the limit of RFC 5321 §4.5.3.1.3 less its angle brackets. */
const charactersMax = 254
/** RFC 5321 §4.5.3.1.1 */
const localOctetsMax = 64
/** RFC 1035 §2.3.4, without the root's dot. */
const domainCharactersMax = 253

/** Folds an address that is typed as nearly all are: one look tells that it has nothing but capitals to fold. */
function foldPlain(email: string): string | undefined {
  if (email.length > charactersMax || !plainPattern.test(email)) return
  const folded = email.toLowerCase()
  return folded.indexOf('@') > localOctetsMax || folded.includes('xn--') ? undefined : folded
}

const plainPattern =
  /^[a-z\d_%+-]+(?:\.[a-z\d_%+-]+)*@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/i

// The specials of RFC 5322 §3.2.3, and all that nobody can see: controls, formats, spaces.
const refused = /["(),:;<>@[\\\]\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}]/u
const strayDot = /^\.|\.\.|\.$/

// What is not a letter, digit, hyphen or dot would be read as part of a URL by domainToASCII.
const domainPattern = /^[a-z\d.\-\u0080-\u{10ffff}]+$/iu
const asciiDomainPattern =
  /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/

function foldDomain(domain: string): string | undefined {
  if (!domainPattern.test(domain) || refused.test(domain)) return
  const ascii = domainToASCII(domain)
  if (ascii.length > domainCharactersMax || !asciiDomainPattern.test(ascii)) return
  return ascii
}

// Composed last: lower case can make a composable pair (J with a caron has no capital of its own).
const foldLocal = (local: string) => local.toLowerCase().normalize('NFC')

/** An address or a domain as a person reads it: the domain in letters instead of `xn--…`. */
export function inLetters(value: string): string {
  const at = value.lastIndexOf('@') + 1
  return value.slice(0, at) + domainToUnicode(value.slice(at))
}
