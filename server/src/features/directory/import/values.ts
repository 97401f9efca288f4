import { parseEmail } from '../../../kernel/email.ts'

/** A value that cannot be taken, with why: the row is rejected. */
export class InvalidValue extends Error {
  override name = 'InvalidValue'
}

/**
 * One line of text without white space around it; null for nothing, or what exports write for it.
 *
 * @throws InvalidValue
 */
export function readText(
  field: string,
  text: string | undefined,
  charactersMax = 255,
): string | null {
  if (text === undefined || text === '') return null
  const tidy = plain.test(text) ? text : tidied(field, text)
  if (tidy.length > charactersMax) {
    throw new InvalidValue(
      `${field} is longer than ${charactersMax.toLocaleString('en-US')} characters`,
    )
  }
  return tidy === '' || (tidy.length <= blankMax && blanks.has(tidy.toLowerCase())) ? null : tidy
}

/**
 * Reads a text that searches show: one with an e-mail address in it is taken as nothing, as some
 * exports write the address of whom they know no name.
 *
 * @throws InvalidValue
 */
export function readShownText(
  field: string,
  text: string | undefined,
  charactersMax?: number,
): string | null {
  const value = readText(field, text, charactersMax)
  return value?.includes('@') && anyAddress.test(value) ? null : value
}

const anyAddress = /[^\s@]@[^\s@]+\.[^\s@]/

/** Printable ASCII without anything to tidy: nearly every value. */
const plain = /^[!-~]+(?: [!-~]+)*$/

function tidied(field: string, text: string): string {
  if (text.includes('\ufffd'))
    throw new InvalidValue(`${field} is not written in the file's encoding`)
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new InvalidValue(`${field} has a character that no text has`)
  }
  return text
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .normalize('NFC')
}

/** What exports write where they know nothing. */
const blanks = new Set('- -- — . ? n/a na #n/a null none nil nan unknown'.split(' '))
const blankMax = Math.max(...[...blanks].map((blank) => blank.length))

/** Folded, or undefined where it is none. */
export const foldAddress = (text: string): string | undefined => parseEmail(text)?.folded

/**
 * A number of people: `1,200`, `51-200` and `51 to 200` (the lower end), `10,001+`, `1.2K`,
 * `self-employed`.
 *
 * @throws InvalidValue
 */
export function readCount(field: string, text: string | undefined): number | null {
  if (text !== undefined && bareCount.test(text)) return Number(text)
  const value = readText(field, text)
  if (value === null) return null
  if (/^(?:self[- ]?employed|myself only)$/i.test(value)) return 1
  const [, digits = '', unit = ''] = counted.exec(value) ?? []
  const isDecimal = unit !== '' || /[.,]\d{1,2}$/.test(digits.trim())
  const number = isDecimal
    ? Number(
        digits
          .trim()
          .replace(/[.,](?=\d{3})/g, '')
          .replace(',', '.'),
      )
    : Number(digits.replace(/\D/g, ''))
  const count = Math.round(number * ({ k: 1000, m: 1_000_000 }[unit.toLowerCase()] ?? 1))
  if (digits !== '' && count <= countMax) return count
  throw new InvalidValue(`${field} is not a number of people`)
}

// Nearly every value; the rest of the function takes five times as long.
const bareCount = /^\d{1,8}$/
const counted = /^[^\d-]{0,12}(\d[\d., '’]*)(?:([km])(?!\p{L}))?/iu

const countMax = 100_000_000

/**
 * The year of a year or a date.
 *
 * @throws InvalidValue
 */
export function readYear(field: string, text: string | undefined): number | null {
  const value = readText(field, text)
  if (value === null) return null
  const year = Number(/\b(1[0-9]{3}|20\d\d)\b/.exec(value)?.[1])
  if (year) return year
  throw new InvalidValue(`${field} is not a year`)
}

/** Parts of a list; the same in other letters counts once. */
export function readList(field: string, text: string | undefined): string[] {
  const value = readText(field, text, 20_000)
  if (value === null) return []
  const separator = value.includes(';') ? ';' : value.includes('|') ? '|' : ','
  const items = new Map<string, string>()
  for (const part of value.split(separator)) {
    const item = readText(field, part.trim())
    if (item === null || items.size === listMax || items.has(item.toLowerCase())) continue
    items.set(item.toLowerCase(), item)
  }
  return [...items.values()]
}

const listMax = 200

/** @throws InvalidValue */
export function readSwitch(field: string, text: string | undefined): boolean | null {
  const value = readText(field, text)
  if (value === null) return null
  if (/^(?:true|yes|y|1|t|available)$/i.test(value)) return true
  if (/^(?:false|no|n|0|f|unavailable)$/i.test(value)) return false
  throw new InvalidValue(`${field} is neither yes nor no`)
}

export type EmailStatus = 'verified' | 'likely' | 'unknown' | 'invalid'

/** What vendors write about an address, in our words. */
export function readEmailStatus(field: string, text: string | undefined): EmailStatus | null {
  const value = readText(field, text)
  if (value === null) return null
  const status = value.toLowerCase()
  if (wrong.test(status)) return 'invalid'
  if (guessed.test(status)) return 'likely'
  return checked.test(status) ? 'verified' : 'unknown'
}

const wrong =
  /invalid|not[ _-]?valid|un-?deliverable|not[ _-]?deliver|bounce|unavailable|do.?not|spam/
const guessed =
  /likely|guess|probable|accept|catch|risky|extrapolated|pattern|unverified|not[ _-]?verified|no longer/
const checked = /verified|valid|deliverable|^ok$|^good$|^a\+?$|^(?:9\d|100)%?$/
