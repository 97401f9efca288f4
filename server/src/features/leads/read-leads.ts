import { hasMoreCharacters } from '../../kernel/characters.ts'
import { parseEmail } from '../../kernel/email.ts'
import { detailsMax, type ErrorDetail, invalidFields } from '../../kernel/errors.ts'
import { escapePointer } from '../../kernel/json/pointer.ts'
import {
  Lead,
  type LeadInput,
  type RowSkipReason,
  type TextField,
  textNames,
  variableNameMax,
  variablesMax,
  variableTextMax,
} from './schema.ts'

/** A row of a request that holds an address of its own. */
export interface LeadRow {
  /** In the request, from 0. */
  index: number
  /** As typed. */
  email: string
  folded: string
  texts: Partial<Record<TextField, string>>
  /** Null asks to remove the variable from a lead that has it. */
  variables: Variables
}

type Scalar = string | number | boolean
type Variables = Record<string, Scalar | null>

/** A row that makes no lead, and why. */
export interface SkippedRow {
  index: number
  email: string
  reason: RowSkipReason
}

/**
 * Reads rows whose declared fields have the declared types.
 *
 * @throws AppError `invalid_field` with the row's path when a variable is not acceptable
 */
export function readLeads(leads: LeadInput[]): { rows: LeadRow[]; skipped: SkippedRow[] } {
  const rows: LeadRow[] = []
  const skipped: SkippedRow[] = []
  const problems: ErrorDetail[] = []
  const seen = new Set<string>()
  for (const [index, lead] of leads.entries()) {
    if (problems.length > detailsMax) break
    const variables = readVariables(lead, index, problems)
    const address = parseEmail(lead.email)
    if (!address) {
      skipped.push({ index, email: lead.email, reason: 'invalid_email' })
    } else if (seen.has(address.folded)) {
      skipped.push({ index, email: address.email, reason: 'duplicate_in_request' })
    } else {
      seen.add(address.folded)
      const { email, folded } = address
      rows.push({ index, email, folded, texts: readTexts(lead), variables })
    }
  }
  if (problems.length > 0) throw invalidFields(problems)
  return { rows, skipped }
}

/** Neither a variable nor worth an error: a record that was read may be sent as it is. */
const declaredNames = new Set(Object.keys(Lead.properties))

function readTexts(lead: LeadInput): LeadRow['texts'] {
  const texts: LeadRow['texts'] = {}
  for (const name of textNames) {
    const text = lead[name]
    // White space in a whole paragraph may be meant.
    if (typeof text === 'string') texts[name] = name === 'personalization' ? text : text.trim()
  }
  return texts
}

/** Top-level members that are no fields of a lead, and `custom_variables` over them. */
function readVariables(lead: LeadInput, index: number, problems: ErrorDetail[]): Variables {
  const extras: [string, Scalar | null][] = []
  for (const name in lead) {
    if (declaredNames.has(name)) continue
    const value = lead[name as keyof LeadInput]
    const problem = problemWithVariable(name, value)
    if (problem) problems.push(problemAt(`/leads/${index}/${escapePointer(name)}`, problem))
    if (isScalar(value)) extras.push([name, value])
  }
  const given = lead.custom_variables ?? {}
  for (const name in given) {
    const problem = problemWithVariable(name, given[name])
    const path = `/leads/${index}/custom_variables/${escapePointer(name)}`
    if (problem) problems.push(problemAt(path, problem))
  }
  // Own properties are defined, whatever their names: `constructor` is one like any other.
  const variables = extras.length === 0 ? given : { ...Object.fromEntries(extras), ...given }
  if (countSet(variables) > variablesMax) {
    problems.push(problemAt(`/leads/${index}/custom_variables`, tooManyVariables))
  }
  return variables
}

/** How many are not null. */
function countSet(variables: Variables): number {
  let count = 0
  for (const name in variables) if (variables[name] !== null) count++
  return count
}

function problemWithVariable(name: string, value: unknown): string | undefined {
  if (hasMoreCharacters(name, variableNameMax)) return nameTooLong
  // Null removes one that the lead has.
  if (name.trim() === '' && value !== null) return nameMissing
  if (typeof value === 'string' && hasMoreCharacters(value, variableTextMax)) {
    return `must have at most ${variableTextMax} characters`
  }
  if (isHuge(value)) return numberTooLarge
  // An unknown member that says nothing is ignored like any other.
  if (isScalar(value) || Object.keys(value as object).length === 0) return
  return 'must be a text, a number or a boolean'
}

const nameTooLong = `has a name of more than ${variableNameMax} characters`
const nameMissing = 'has an empty name: give it one, or leave it out'
/** An id of another system would come out as another one, without a word. */
export const numberTooLarge =
  'must be sent as a text: a number this large cannot be kept to the last digit'
export const tooManyVariables = `must not give the lead more than ${variablesMax} custom variables`

export const isHuge = (value: unknown): boolean =>
  typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER

const isScalar = (value: unknown): value is Scalar | null =>
  typeof value !== 'object' || value === null

/** A problem at a JSON pointer; long names are cut in the message. */
export function problemAt(path: string, problem: string): ErrorDetail {
  return { path, message: `${path.slice(1, 100).replaceAll('/', '.')} ${problem}` }
}
