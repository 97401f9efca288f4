import { readCsv } from '../../kernel/csv/read-csv.ts'
import { recode } from '../../kernel/csv/recode.ts'
import { withoutGuard } from '../../kernel/csv/write-csv.ts'
import { parseEmail } from '../../kernel/email.ts'
import { storable } from '../../kernel/text.ts'
import { type LeadInput, type TextField, textFields, variableTextMax } from '../leads/index.ts'
import { addressIn } from './address.ts'
import type { Format } from './format.ts'
import type { ColumnTarget, FileSkipReason, SkippedFileRow } from './schema.ts'

/** A row that made no lead, with its fields as they are in the file, so that it can be mended; without, where they are long. */
export type SkippedRow = SkippedFileRow & { fields?: string[] | undefined }

/** A row of the file, and what it says; counted as a spreadsheet does. */
export type ReadRow =
  | { number: number; lead: LeadInput; folded: string; fields: string[] | undefined }
  | { number: number; skipped: SkippedRow }

/** Of all fields of a row together: a batch of rows is in memory at once. */
const keptCharactersMax = 10_000

/**
 * The rows below the headings, as many at a time as are read at once. Empty ones are left out.
 *
 * @throws BrokenFile after the rows that can be read
 */
export async function* readRows(
  parts: AsyncGenerator<Buffer>,
  { encoding, delimiter, heading_row }: Format,
  headings: string[],
  mapping: ColumnTarget[],
): AsyncGenerator<ReadRow[]> {
  let number = 0
  for await (const rows of readCsv(recode(parts, encoding), delimiter)) {
    const read: ReadRow[] = []
    for (const fields of rows) {
      number++
      if (number <= heading_row || fields.every((field) => field.trim() === '')) continue
      read.push(readRow(number, fields, headings, mapping))
    }
    yield read
  }
}

function readRow(
  number: number,
  fields: string[],
  headings: string[],
  mapping: ColumnTarget[],
): ReadRow {
  const emailAt = mapping.findIndex(({ target }) => target === 'email')
  const typed = addressIn(withoutGuard(fields[emailAt] ?? ''))
  const characters = fields.reduce((sum, { length }) => sum + length, 0)
  const kept = characters > keptCharactersMax ? undefined : fields
  const skip = (reason: FileSkipReason, column: string | null = null): ReadRow => ({
    number,
    skipped: { row: number, email: storable(typed, 254), reason, column, fields: kept },
  })
  if (
    fields.length > mapping.length &&
    fields.slice(mapping.length).some((field) => field.trim() !== '')
  ) {
    return skip('too_many_fields')
  }
  // Of what is not written so nobody knows whose address it was.
  if (typed.includes(unreadable)) return skip('wrong_encoding', headings[emailAt] ?? null)
  const address = parseEmail(typed)
  if (!address) return skip('invalid_email', headings[emailAt] ?? null)
  const texts: Partial<Record<TextField, string>> = {}
  const variables: [name: string, text: string][] = []
  for (const [column, { target, variable }] of mapping.entries()) {
    if (target === 'skip' || target === 'email') continue
    const text = withoutGuard((fields[column] ?? '').trim())
    if (text === '') continue
    const problem = problemWith(text, target)
    if (problem) return skip(problem, headings[column] ?? null)
    if (target === 'variable') variables.push([variable ?? '', text])
    else if (target === 'full_name') Object.assign(texts, partsOf(text))
    else texts[target] = text
  }
  const { email, folded } = address
  // Own properties, whatever their names.
  const custom_variables = Object.fromEntries(variables)
  return { number, folded, fields: kept, lead: { ...texts, email, custom_variables } }
}

/** What stands for bytes that are no character in the encoding. */
const unreadable = '\ufffd'

function problemWith(text: string, target: ColumnTarget['target']): FileSkipReason | undefined {
  if (text.includes(unreadable)) return 'wrong_encoding'
  if (text.includes('\0') || !text.isWellFormed()) return 'invalid_characters'
  // All of a name that is parted may be the first one.
  const field = target === 'full_name' ? 'first_name' : target
  const most = field in textFields ? textFields[field as TextField] : variableTextMax
  return text.length > most ? 'too_long' : undefined
}

function partsOf(name: string) {
  const at = name.lastIndexOf(' ')
  return at < 0
    ? { first_name: name }
    : { first_name: name.slice(0, at).trim(), last_name: name.slice(at + 1) }
}
