import { countryOf } from '../country.ts'
import { domainOf } from '../domain.ts'
import { phraseOf, wordsOf } from '../fold.ts'

/**
 * A term says one thing that is true of a contact: a letter for the kind, then the value. It has one
 * character for every byte of its UTF-8 form, so that comparing strings compares bytes, as the
 * database does.
 */
export type Term = string

/** What a contact is found by; null where nothing is known. */
export interface ContactTexts {
  first_name: string | null
  last_name: string | null
  title: string | null
  seniority: string | null
  department: string | null
  city: string | null
  country: string | null
  email: string | null
  has_email: boolean
}

export interface CompanyTexts {
  name: string | null
  domain: string | null
  industry: string | null
  employee_count: number | null
  technologies: string[]
}

export type Field = keyof typeof termsOf

/** The terms of a text in each field. */
export const termsOf = {
  name: (text: string) => piecesOf(text).map((piece) => term('n', piece)),
  title: (text: string) => piecesOf(text).map((piece) => term('t', piece)),
  company: (text: string) => piecesOf(text).map((piece) => term('c', piece)),
  seniority: (text: string) => oneTerm('s', phraseOf(text)),
  department: (text: string) => oneTerm('d', phraseOf(text)),
  city: (text: string) => oneTerm('y', phraseOf(text)),
  country: (text: string) => oneTerm('l', countryOf(text)),
  industry: (text: string) => oneTerm('i', phraseOf(text)),
  technology: (text: string) => oneTerm('k', phraseOf(text)),
  /** A folded domain, of a company. */
  domain: (text: string) => oneTerm('h', text),
  /** An e-mail address; found by its domain. */
  address: (text: string) => oneTerm('a', domainOf(text) ?? ''),
}

/** The kinds of terms that a word of a query is looked for in. */
export const wordKinds = ['n', 't', 'c'] as const

export const term = (kind: string, value: string): Term => kind + bytesOf(value)

export const hasEmailTerm = (hasEmail: boolean): Term => (hasEmail ? 'e1' : 'e0')

/** The number itself, and the range it is in. */
export const employeeTerms = (count: number): Term[] => [
  countTerm(count),
  rangeTerm(rangeStarts.findLastIndex((start) => start <= count)),
]

/** Fixed width: in the order of the numbers. */
export const countTerm = (count: number): Term =>
  `x${Math.min(count, countMax).toString(16).padStart(8, '0')}`

export const rangeTerm = (range: number): Term => `z${String.fromCharCode(97 + range)}`

/** Where the usual ranges of sizes begin: most questions are answered by a few of them. */
export const rangeStarts = [0, 1, 2, 11, 21, 51, 101, 201, 501, 1001, 2001, 5001, 10_001, 50_001]

export const countMax = 0x7fff_ffff

/**
 * What of a text is found by its beginning: its words, and where a script puts no spaces between
 * words every character and every two neighbours.
 */
function piecesOf(text: string): string[] {
  const words = wordsOf(text)
  if (ascii.test(text)) return words.map(cut)
  return words
    .flatMap(splitByScript)
    .flatMap((run) => (isUnspaced(run) ? [...run, ...neighboursIn(run)] : [cut(run)]))
}

/** The pieces that a text with all these words has, too. */
export interface Sought {
  piece: string
  /** Whether longer words that begin with it are meant as well. */
  asPrefix: boolean
}

/**
 * @param word one of `wordsOf`
 * @returns what has to be there together
 */
export function soughtIn(word: string): Sought[] {
  return splitByScript(word).flatMap((run) => {
    const characters = [...run]
    if (!isUnspaced(run)) return [{ piece: cut(run), asPrefix: characters.length >= prefixMin }]
    const pieces = characters.length === 1 ? characters : neighboursIn(run)
    return pieces.map((piece) => ({ piece, asPrefix: false }))
  })
}

/** What a misspelt word is compared with: the word of a term, where it is long enough to be one. */
export function wordOf(term: Term): string | undefined {
  if (!isWordKind(term.charAt(0))) return undefined
  if (ascii.test(term)) return term.length > prefixMin ? term.slice(1) : undefined
  const word = Buffer.from(term.slice(1), 'latin1').toString()
  return soughtIn(word).some(({ asPrefix }) => asPrefix) ? word : undefined
}

const isWordKind = (kind: string) => (wordKinds as readonly string[]).includes(kind)

/** One or two letters begin too much to tell anything. */
const prefixMin = 3

const bytesOf = (text: string) =>
  ascii.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')

const ascii = /^\p{ASCII}*$/u

const oneTerm = (kind: string, value: string): Term[] => (value === '' ? [] : [term(kind, value)])

const cut = (word: string) => (word.length > 48 ? [...word].slice(0, 48).join('') : word)

const unspaced =
  '\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}'
const runs = new RegExp(`[${unspaced}]+|[^${unspaced}]+`, 'gu')
const unspacedRun = new RegExp(`^[${unspaced}]`, 'u')

const splitByScript = (word: string): string[] =>
  ascii.test(word) ? [word] : (word.match(runs) ?? [])
const isUnspaced = (run: string) => !ascii.test(run) && unspacedRun.test(run)

function neighboursIn(run: string): string[] {
  const characters = [...run]
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`)
}
