type Value = string | number | boolean | Date | null | undefined

/** A line of RFC 4180 with its end. */
export const csvLine = (values: Value[]): string => `${values.map(field).join(',')}\r\n`

function field(value: Value): string {
  if (value === null || value === undefined) return ''
  const text = value instanceof Date ? value.toISOString() : String(value)
  const safe = (isFormula.test(text) ? `'${text}` : text).replace(formulaWithin, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Of a field that was written here: as it was before a spreadsheet was kept from running it. */
export function withoutGuard(guarded: string): string {
  const text = guarded.replace(guardWithin, '')
  return text.startsWith("'") && isFormula.test(text.slice(1)) ? text.slice(1) : text
}

/**
 * A spreadsheet would run it; telephone and other numbers are none. What begins like one that is guarded
 * is guarded as well, so that its own apostrophe is not taken for the guard.
 */
const isFormula = /^'*(?:[=@\t\r]|[+-](?![\d\s().-]*$))/

// Where the decimal comma is usual a spreadsheet takes a semicolon for the separator, and then a quotation
// mark or a line's end within a field for what it is elsewhere: a cell may begin there.
const formulaWithin = /(?=[=@+-])(?<=[;\t\r\n]["\s]*'*)(?![+-][\d ().-]*(?:[;\t\r\n"]|$))/g
const guardWithin = /'(?=[=@+-])(?<=[;\t\r\n]["\s]*'+)(?![+-][\d ().-]*(?:[;\t\r\n"]|$))/g
