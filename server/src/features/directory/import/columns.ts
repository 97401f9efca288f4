import { foldHeading } from '../../../kernel/csv/heading.ts'
import aliases from './column-names.json' with { type: 'json' }

/**
 * The fields of a row and the headers they are known by: our own name first, then what the exports
 * of Apollo, ZoomInfo, Lusha, Cognism, Seamless.AI, UpLead, LinkedIn, Sales Navigator scrapers, Hunter,
 * Snov.io, RocketReach, People Data Labs, Crunchbase, HubSpot and Salesforce call them. Letters and
 * digits alone are compared.
 */
export type FieldName = keyof typeof aliases

export const fieldNames = Object.keys(aliases) as FieldName[]

const personFields = new Set<FieldName>([
  ...(['first_name', 'last_name', 'full_name', 'title', 'seniority', 'department'] as const),
  ...(['email', 'email_status', 'has_email'] as const),
])

export interface FileKind {
  kind: 'contacts' | 'companies'
  /** Whether the file has people, also where only its companies are wanted. */
  hasPersons: boolean
}

export interface Columns extends FileKind {
  /** The column of each field; -1 where the file has none. */
  at: Record<FieldName, number>
  /** Headers that say nothing to us. */
  ignored: string[]
}

/** Headers given by `--map` stand for the field they are mapped to, whatever else they might be. */
export type ColumnMap = Map<string, FieldName>

/** How many of the headers are known. */
export const countKnown = (headers: string[], map: ColumnMap): number =>
  headers.filter((header) => fieldOf(header, map) !== undefined || isName(header)).length

/**
 * @param kind undefined: a file with a column about persons has contacts, another one companies
 */
export function chooseColumns(
  headers: string[],
  map: ColumnMap,
  kind: Columns['kind'] | undefined,
): Columns {
  const hasPersons = hasColumnsOfPersons(headers, map)
  const file = { kind: kind ?? (hasPersons ? 'contacts' : 'companies'), hasPersons }
  const at = Object.fromEntries(fieldNames.map((name) => [name, -1])) as Columns['at']
  const rank = new Map<FieldName, number>()
  const ignored: string[] = []
  for (const [column, header] of headers.entries()) {
    const found = findField(file, header, map)
    if (!found) ignored.push(header)
    else if (found.rank < (rank.get(found.field) ?? Number.POSITIVE_INFINITY)) {
      rank.set(found.field, found.rank)
      at[found.field] = column
    }
  }
  return { ...file, at, ignored }
}

/** Persons without a name or an address are told by their profile, where no company is named. */
function hasColumnsOfPersons(headers: string[], map: ColumnMap): boolean {
  const fields = headers.map((header) => fieldOf(header, map))
  if (fields.some((field) => field !== undefined && personFields.has(field))) return true
  const isNamed = (field: string | undefined) => handles.includes(field ?? '')
  return fields.includes('linkedin_url') && !headers.some(isName) && !fields.some(isNamed)
}

const handles: string[] = ['company', 'domain', 'website']

interface FoundField {
  field: FieldName
  /** Of two columns for one field the one of the lower rank is taken: the mapped, or more usual one. */
  rank: number
}

/** The field that a header stands for in such a file. */
export function findField(
  { kind, hasPersons }: FileKind,
  header: string,
  map: ColumnMap,
): FoundField | undefined {
  const usual = known.get(foldHeading(header))
  const named = isName(header) ? (kind === 'contacts' ? 'full_name' : 'company') : undefined
  const found = fieldOf(header, map) ?? named
  const field = found && !hasPersons ? (ofCompanies[found] ?? found) : found
  if (field === undefined) return undefined
  if (map.has(foldHeading(header))) return { field, rank: -1 }
  return { field, rank: usual?.field === field ? usual.rank : Number.MAX_SAFE_INTEGER }
}

/** In a file of companies alone the city and the like are theirs. */
const ofCompanies: Partial<Record<FieldName, FieldName>> = {
  city: 'company_city',
  country: 'company_country',
  linkedin_url: 'company_linkedin_url',
}

const known = new Map(
  fieldNames.flatMap((field) =>
    [field, ...aliases[field]].map((alias, rank) => [foldHeading(alias), { field, rank }]),
  ),
)

const fieldOf = (header: string, map: ColumnMap): FieldName | undefined =>
  map.get(foldHeading(header)) ?? known.get(foldHeading(header))?.field

/** A person in one file, a company in another. */
const isName = (header: string) => foldHeading(header) === 'name'

/**
 * @param texts such as `Their header=first_name`
 * @throws with what to write
 */
export function parseColumnMap(texts: string[]): ColumnMap {
  const entries = texts.map((text): [string, FieldName] => {
    const at = text.lastIndexOf('=')
    const header = foldHeading(text.slice(0, Math.max(0, at)))
    const field = fieldNames.find((name) => name === text.slice(at + 1).trim())
    if (header !== '' && field) return [header, field]
    throw new Error(`It must be HEADER=FIELD with one of these fields: ${fieldNames.join(', ')}.`)
  })
  return new Map(entries)
}

/** @throws when a header is mapped that is none of these */
export function requireMapped(headers: string[], map: ColumnMap) {
  const there = new Set(headers.map(foldHeading))
  for (const [header, field] of map) {
    if (there.has(header)) continue
    const named = headers.slice(0, namedMax).join(', ')
    throw new Error(`The file has no column "${header}" for ${field}; it has: ${named}.`)
  }
}

/** In a sentence for a person. */
const namedMax = 50
