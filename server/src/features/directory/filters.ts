import type { Db } from '../../kernel/db/db.ts'
import { invalidField } from '../../kernel/errors.ts'
import { domainOf } from './domain.ts'
import { wordsOf } from './fold.ts'
import type { DirectoryFilters } from './schema.ts'
import { respell } from './spelling.ts'
import { type Condition, has, hasBeginning, rangesOf, uniteRanges } from './term-index/index.ts'
import {
  countMax,
  countTerm,
  type Field,
  hasEmailTerm,
  rangeStarts,
  rangeTerm,
  type Sought,
  soughtIn,
  term,
  termsOf,
  wordKinds,
} from './terms/index.ts'

/** Nobody has it. */
const never: Condition = { any: [] }

/** What the filters ask for together; undefined: they ask for nothing. */
export async function conditionOf(
  db: Db,
  filters: DirectoryFilters,
): Promise<Condition | undefined> {
  const all: Condition[] = []
  const some = (values: string[] | undefined, read: (value: string) => Condition) => {
    // An empty list is a filter that was left blank.
    if (values && values.length > 0) all.push({ any: [...new Set(values)].map(read) })
  }
  some(filters.titles, (title) => allWords('t', title))
  some(filters.company_names, (name) => allWords('c', name))
  some(filters.company_domains, (domain) => oneValue('domain', domainOf(domain) ?? ''))
  some(filters.seniorities, (value) => oneValue('seniority', value))
  some(filters.departments, (value) => oneValue('department', value))
  some(filters.industries, (value) => oneValue('industry', value))
  some(filters.countries, (value) => oneValue('country', value))
  some(filters.cities, (value) => oneValue('city', value))
  some(filters.technologies, (value) => oneValue('technology', value))
  if (filters.has_email !== undefined) all.push(has(hasEmailTerm(filters.has_email)))
  if (filters.employee_count) all.push(...employeesBetween(filters.employee_count))
  if (filters.query && filters.query.trim() !== '') all.push(await matching(db, filters.query))
  if (all.length === 0) return undefined
  const condition = uniteRanges({ all })
  if (rangesOf(condition).length <= rangesMax) return condition
  throw invalidField('/', 'The filters have more than 5,000 different words: give fewer of them.')
}

/** Each is looked up in every block. */
const rangesMax = 5000

function oneValue(field: Field, text: string): Condition {
  const [only] = termsOf[field](text)
  return only === undefined ? never : has(only)
}

function allWords(kind: string, text: string): Condition {
  const pieces = wordsOf(text).flatMap(soughtIn)
  if (pieces.length === 0) return never
  return { all: pieces.map(({ piece }) => has(term(kind, piece))) }
}

/** Every word begins a word of the name, the title or the company, as it is or spelt better. */
async function matching(db: Db, query: string): Promise<Condition> {
  const sought = [...new Set(wordsOf(query))].flatMap(soughtIn).slice(0, queryPiecesMax)
  if (sought.length === 0) return never
  const spellings = await respell(db, sought)
  return {
    all: sought.map((one) => ({
      any: [one, ...(spellings.get(one.piece) ?? [])].flatMap(inAnyKind),
    })),
  }
}

/** Of a text that long the rest tells nothing more. */
const queryPiecesMax = 20

const inAnyKind = ({ piece, asPrefix }: Sought): Condition[] =>
  wordKinds.map((kind) => (asPrefix ? hasBeginning : has)(term(kind, piece)))

/** Whole ranges by their own terms, and numbers one by one only where a bound cuts a range. */
function employeesBetween({ min = 0, max = countMax }: { min?: number; max?: number }) {
  if (min > max) {
    throw invalidField('/employee_count', 'employee_count.min must not be greater than its max')
  }
  if (min === 0 && max === countMax) return []
  const any = rangeStarts.flatMap((start, range): Condition[] => {
    const end = (rangeStarts[range + 1] ?? countMax + 1) - 1
    if (end < min || start > max) return []
    if (start >= min && end <= max) return [has(rangeTerm(range))]
    return [{ first: countTerm(Math.max(start, min)), last: countTerm(Math.min(end, max)) }]
  })
  return [{ any }]
}
