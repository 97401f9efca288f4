import { hasMoreCharacters } from '../../kernel/characters.ts'
import { foldHeading } from '../../kernel/csv/heading.ts'
import { withoutGuard } from '../../kernel/csv/write-csv.ts'
import { parseEmail } from '../../kernel/email.ts'
import { invalidField, invalidFields } from '../../kernel/errors.ts'
import { variableNameMax, variablesMax } from '../leads/index.ts'
import aliases from './headings.json' with { type: 'json' }
import { type ColumnTarget, type Import, type TargetField, targetFields } from './schema.ts'

/**
 * By the headings of our own exports and of Instantly, Smartlead, lemlist, Apollo, HubSpot and Excel's
 * and Outlook's contacts; letters and digits alone are compared.
 */
const known = new Map(
  Object.entries(aliases).flatMap(([field, names]) =>
    [field, ...names].map((name, rank) => [
      foldHeading(name),
      { field: field as TargetField, rank },
    ]),
  ),
)

/** What a report of rows that made no lead says of each, beside its columns. */
export const reasonColumns = ['import_row', 'import_reason', 'import_column', 'import_explanation']

/** What our own files say of a lead, which is no part of it. */
const facts = [
  ...reasonColumns,
  ...['campaign', 'status', 'sending_state', 'stop_reason', 'current_step', 'email_open_count'],
  ...['email_click_count', 'email_reply_count', 'timestamp_last_contact', 'timestamp_last_open'],
  ...['timestamp_last_reply', 'timestamp_created'],
]

/** No other program has both. */
const isOurExport = (headings: string[]) =>
  ['sending_state', 'timestamp_created'].every((each) => headings.includes(each))

/** What a heading usually stands for. */
export const fieldOf = (heading: string) => known.get(foldHeading(heading))?.field

/**
 * Of two columns for one field the one with the more usual heading gets it. Variables of our own export keep
 * their names, capitals and all, as mails ask for them; one that is called like a fact comes after it.
 * Where no heading says it, the addresses are in the only column that has one in each row.
 */
export function guessMapping({ headings, rows }: NonNullable<Import['preview']>): ColumnTarget[] {
  const best = new Map<TargetField, { column: number; rank: number }>()
  for (const [column, heading] of headings.entries()) {
    const found = known.get(foldHeading(heading))
    if (!found) continue
    const before = best.get(found.field)
    if (!before || found.rank < before.rank) best.set(found.field, { column, rank: found.rank })
  }
  if (!best.has('email')) {
    const columns = [...headings.keys()].filter((index) => hasOnlyAddresses(rows, index))
    const [column] = columns
    if (column !== undefined && columns.length === 1) best.set('email', { column, rank: 0 })
  }
  // A whole name is of use only where its parts are not there.
  if (best.has('first_name')) best.delete('full_name')
  const fields = new Map([...best].map(([field, { column }]) => [column, field]))
  const isOurs = isOurExport(headings)
  const keyOf = isOurs ? (heading: string) => heading : foldHeading
  const factsLeft = new Set(facts.map(keyOf))
  const names = new Set<string>()
  return headings.map((heading, column): ColumnTarget => {
    const field = fields.get(column)
    if (field) return { target: field }
    if (factsLeft.delete(keyOf(heading)) || names.size >= variablesMax) return { target: 'skip' }
    const exported = isOurs ? exportedName(heading, column) : undefined
    const variable =
      exported !== undefined && !names.has(exported)
        ? exported
        : freeName(variableName(heading, column), names)
    names.add(variable)
    return { target: 'variable', variable }
  })
}

const hasOnlyAddresses = (rows: string[][], column: number) =>
  rows.length > 0 && rows.every((row) => parseEmail(row[column]?.trim() ?? '') !== undefined)

/** Not of a column that somebody has added without a heading, nor of more letters than one may have. */
function exportedName(heading: string, column: number): string | undefined {
  const name = withoutGuard(heading)
  if (name === unnamed(column) || hasMoreCharacters(name, variableNameMax)) return
  return name
}

/** What is shown of a column without a heading. */
export const unnamed = (column: number) => `Column ${column + 1}`

function variableName(heading: string, column: number): string {
  const name = heading
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .replaceAll(/^_+|_+$/g, '')
  return [...name].slice(0, nameMax).join('') || `column_${column + 1}`
}

/** Leaves room for a number. */
const nameMax = 60
const fields: readonly string[] = targetFields

function freeName(name: string, taken: Set<string>): string {
  let free = name
  for (let number = 2; taken.has(free) || fields.includes(free); number++)
    free = `${name}_${number}`
  return free
}

/** @throws AppError `invalid_field` with each column that cannot become what it should */
export function checkMapping(mapping: ColumnTarget[], columns: number) {
  if (mapping.length !== columns) {
    throw invalidField('/mapping', `mapping must say of each of the ${columns} columns what it is`)
  }
  const seen = new Set<string>()
  const problems = mapping.flatMap(({ target, variable }, column) => {
    if (target === 'skip') return []
    const path = `/mapping/${column}`
    if (target === 'variable' && variable === undefined) {
      return [{ path, message: 'give the variable a name' }]
    }
    const name = target === 'variable' ? `variable ${variable}` : target
    if (seen.has(name)) return [{ path, message: `another column is ${name} already` }]
    seen.add(name)
    return []
  })
  if (problems.length > 0) throw invalidFields(problems)
  const variables = mapping.filter(({ target }) => target === 'variable').length
  if (variables > variablesMax) {
    throw invalidField(
      '/mapping',
      `a lead has at most ${variablesMax} variables; skip some columns`,
    )
  }
}

export const hasEmail = (mapping: ColumnTarget[] | null) =>
  mapping?.some(({ target }) => target === 'email') ?? false
