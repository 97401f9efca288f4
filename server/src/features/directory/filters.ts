import { invalidField } from '../../kernel/errors.ts'
import { wordsOf } from '../../kernel/fold.ts'
import { type Sought, soughtIn } from '../../kernel/word-pieces.ts'
import { domainOf } from './domain.ts'
import type { DirectoryFilters } from './schema.ts'
import {
  type Field,
  hasEmailTerm,
  rangeStarts,
  rangeTerm,
  type Term,
  termsOf,
  wordKinds,
} from './terms.ts'

/** What a contact has to have: a term, or one that begins with it. */
export interface Word {
  term: Term
  asPrefix: boolean
  /** How much of those who have the term are meant, from 0 to 1. */
  part: number
}

/** One filter: a contact has to have all words of one of the alternatives. */
export interface Group {
  alternatives: Word[][]
  /** Numbers of employees, where the terms alone mean more than is asked for. */
  employees?: { min: number; max: number }
  /** What the alternatives were made of, where it may be spelt better. */
  sought?: Sought
}

/**
 * What the filters ask for; all groups have to be met together. No group: they ask for nothing.
 *
 * @throws for a range that ends before it begins
 */
export function groupsOf(filters: DirectoryFilters): Group[] {
  const groups: Group[] = []
  const some = (values: string[] | undefined, read: (value: string) => Term[]) => {
    // An empty list is a filter that was left blank.
    if (!values || values.length === 0) return
    const alternatives = [...new Set(values)].map((value) => read(value).map(exactly))
    groups.push({ alternatives: alternatives.filter((words) => words.length > 0) })
  }
  const valuesOf = (field: Field) => (text: string) => termsOf[field](text)
  some(filters.titles, (title) => allWords('t', title))
  some(filters.company_names, (name) => allWords('c', name))
  some(filters.company_domains, (domain) => termsOf.domain(domainOf(domain) ?? ''))
  some(filters.seniorities, valuesOf('seniority'))
  some(filters.departments, valuesOf('department'))
  some(filters.industries, valuesOf('industry'))
  some(filters.countries, valuesOf('country'))
  some(filters.cities, valuesOf('city'))
  some(filters.technologies, valuesOf('technology'))
  if (filters.has_email !== undefined) {
    groups.push({ alternatives: [[exactly(hasEmailTerm(filters.has_email))]] })
  }
  if (filters.employee_count) groups.push(...employeesBetween(filters.employee_count))
  if (filters.query && filters.query.trim() !== '') groups.push(...beginningsIn(filters.query))
  return groups
}

export const exactly = (term: Term): Word => ({ term, asPrefix: false, part: 1 })

const allWords = (kind: string, text: string): Term[] =>
  wordsOf(text)
    .flatMap(soughtIn)
    .map(({ piece }) => kind + piece)

/** Every word of a query begins a word of the name, the title or the company. */
function beginningsIn(query: string): Group[] {
  const sought = [...new Set(wordsOf(query))].flatMap(soughtIn).slice(0, queryPiecesMax)
  if (sought.length === 0) return [{ alternatives: [] }]
  return sought.map((one) => ({ alternatives: inAnyKind(one), sought: one }))
}

/** Of a text that long the rest tells nothing more. */
const queryPiecesMax = 20

export const inAnyKind = ({ piece, asPrefix }: Sought): Word[][] =>
  wordKinds.map((kind) => [{ term: kind + piece, asPrefix, part: 1 }])

/** The usual ranges that are asked for in whole or in part. */
function employeesBetween(asked: NonNullable<DirectoryFilters['employee_count']>): Group[] {
  const min = asked.min ?? 0
  const max = asked.max ?? countMax
  if (min > max) {
    throw invalidField('/employee_count', 'employee_count.min must not be greater than its max')
  }
  if (min === 0 && max === countMax) return []
  const alternatives = rangeStarts.flatMap((start, range) => {
    const end = (rangeStarts[range + 1] ?? countMax + 1) - 1
    if (end < min || start > max) return []
    return [[{ ...exactly(rangeTerm(range)), part: partOf({ start, end }, { min, max }) }]]
  })
  const isCut = alternatives.some(([word]) => word?.part !== 1)
  return [{ alternatives, ...(isCut && { employees: { min, max } }) }]
}

/** Small companies are many and large ones few: within a range as well. */
function partOf(
  { start, end }: { start: number; end: number },
  asked: { min: number; max: number },
) {
  if (asked.min <= start && asked.max >= end) return 1
  const width = (from: number, to: number) => Math.log((to + 1) / from)
  return width(Math.max(start, asked.min), Math.min(end, asked.max)) / width(start, end)
}

const countMax = 0x7fff_ffff
