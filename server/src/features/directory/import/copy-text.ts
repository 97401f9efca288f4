import { arrayLiteral } from '../../../kernel/db/array-literal.ts'

type Value = string | number | boolean | null | Date | string[]

/** Rows as `COPY` takes them in its text format (PostgreSQL's manual, "COPY", Text Format). */
export class CopyRows {
  readonly #lines: string[] = []

  get count(): number {
    return this.#lines.length
  }

  add(values: Value[]) {
    this.#lines.push(`${values.map(textOf).join('\t')}\n`)
  }

  *chunks(): Generator<Buffer> {
    for (let at = 0; at < this.#lines.length; at += linesAtOnce) {
      yield Buffer.from(this.#lines.slice(at, at + linesAtOnce).join(''))
    }
  }
}

const linesAtOnce = 500

function textOf(value: Value): string {
  if (value === null) return '\\N'
  if (typeof value === 'string') return escaped(value)
  if (value instanceof Date) return value.toISOString()
  return Array.isArray(value) ? escaped(arrayLiteral(value) ?? '{}') : String(value)
}

const escaped = (text: string) => (special.test(text) ? text.replace(specials, escapeOf) : text)

const special = /[\\\t\n\r]/
const specials = /[\\\t\n\r]/g
const escapeOf = (character: string) =>
  ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[character] ?? character
