import { phraseOf } from '../../kernel/fold.ts'
import { piecesOf } from '../../kernel/word-pieces.ts'
import { countryOf } from './country.ts'
import { domainOf } from './domain.ts'
import type { CompanyRecord, ContactRecord } from './records.ts'

/** One thing that is true of a contact: a letter for its kind, then the folded value. */
export type Term = string

export type Field = keyof typeof termsOf

/** The terms of a text in each field. No kind is both a contact's and a company's. */
export const termsOf = {
  name: (text: string) => piecesOf(text).map((piece) => `n${piece}`),
  title: (text: string) => piecesOf(text).map((piece) => `t${piece}`),
  seniority: (text: string) => oneTerm('s', phraseOf(text)),
  department: (text: string) => oneTerm('d', phraseOf(text)),
  city: (text: string) => oneTerm('y', phraseOf(text)),
  country: (text: string) => oneTerm('l', countryOf(text)),
  /** An e-mail address; found by its domain. */
  address: (text: string) => oneTerm('a', domainOf(text) ?? ''),
  company: (text: string) => piecesOf(text).map((piece) => `c${piece}`),
  /** A folded domain, of a company. */
  domain: (text: string) => oneTerm('h', text),
  industry: (text: string) => oneTerm('i', phraseOf(text)),
  technology: (text: string) => oneTerm('k', phraseOf(text)),
}

/** The kinds of terms that a word of a query is looked for in. */
export const wordKinds = ['n', 't', 'c'] as const

export const hasEmailTerm = (hasEmail: boolean): Term => (hasEmail ? 'e1' : 'e0')

export const rangeTerm = (range: number): Term => `z${String.fromCharCode(97 + range)}`

/** Where the usual ranges of sizes of companies begin. */
export const rangeStarts = [0, 1, 2, 11, 21, 51, 101, 201, 501, 1001, 2001, 5001, 10_001, 50_001]

/**
 * @param domain of the company: an address there is found by the company's terms
 * @returns each once
 */
export function contactTerms(contact: ContactRecord, domain: string | null | undefined): Term[] {
  const terms = [hasEmailTerm(contact.has_email === true)]
  for (const [column, field] of foundByTheirText) {
    const text = contact[column]
    if (text === null) continue
    // They are few: a Set took three times as long.
    for (const term of termsOf[field](text)) if (!terms.includes(term)) terms.push(term)
  }
  const isElsewhere = contact.email !== null && !(domain && contact.email.endsWith(`@${domain}`))
  return isElsewhere ? [...terms, ...termsOf.address(contact.email ?? '')] : terms
}

const foundByTheirText = [
  ['first_name', 'name'],
  ['last_name', 'name'],
  ['title', 'title'],
  ['seniority', 'seniority'],
  ['department', 'department'],
  ['city', 'city'],
  ['country', 'country'],
] as const

/** @returns each once */
export function companyTerms(company: CompanyRecord): Term[] {
  const { name, domain, industry, employee_count, technologies } = company
  const range = rangeStarts.findLastIndex((start) => start <= (employee_count ?? -1))
  const terms = [
    ...(name === null ? [] : termsOf.company(name)),
    ...(domain === null ? [] : termsOf.domain(domain)),
    ...(industry === null ? [] : termsOf.industry(industry)),
    ...technologies.flatMap(termsOf.technology),
    ...(range < 0 ? [] : [rangeTerm(range)]),
  ]
  return [...new Set(terms)]
}

/** By how many contacts more have a term, or by how many fewer. */
export type TermCounts = Map<Term, number>

export function addCount(counts: TermCounts, terms: Term[], contacts: number) {
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + contacts)
}

const oneTerm = (kind: string, value: string): Term[] => (value === '' ? [] : [kind + value])
