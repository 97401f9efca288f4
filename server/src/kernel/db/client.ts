import pg from 'pg'
import { arrayLiteral } from './array-literal.ts'
import { binaryArray } from './binary-array.ts'

const preparedNames = new Map<string, string>()
let preparedOn = true
let reportText: ((text: string) => void) | undefined

/**
 * A statement with exactly this text is from now on prepared once per connection under this name.
 * Naming one name or one text twice, differently, throws.
 */
export function registerPrepared(name: string, text: string): void {
  const known = preparedNames.get(text)
  if (known === name) return
  if (known !== undefined) throw new Error(`The statement of ${name} is already named ${known}.`)
  for (const taken of preparedNames.values()) {
    if (taken === name) throw new Error(`Two statements are named ${name}; give each its own name.`)
  }
  preparedNames.set(text, name)
}

/** Off for PgBouncer in transaction mode: a name lives in one server connection. */
export function setPreparedStatements(enabled: boolean): void {
  preparedOn = enabled
}

/** Every client of this process reports the text of each statement it sends; undefined ends it. */
export function captureStatements(sink: ((text: string) => void) | undefined): void {
  reportText = sink
}

/**
 * The client of every pool: `new pg.Pool({ Client: NamedClient })`. Named statements skip parsing
 * and planning, lists are written quickly, and the tests see every text. Like pg's own, it runs one
 * query at a time.
 */
export class NamedClient extends pg.Client {
  override readonly query = ((config: Statement, values?: unknown, callback?: unknown) => {
    const text = typeof config === 'string' ? config : config.text
    if (reportText && text !== undefined) reportText(text)
    return send.call(this, named(config, text), withLiterals(values), callback)
  }) as pg.Client['query']
}

type Statement = string | { text?: string; name?: string; values?: unknown; submit?: unknown }

// The method form lets the driver's overloads stand for one call without losing its types.
interface Driver {
  query(config: Statement, values?: unknown, callback?: unknown): unknown
}
const driver: Driver = pg.Client.prototype
const send = driver.query

/** A text without a name gets the registered one; a cursor or a ready query goes as it is. */
function named(config: Statement, text: string | undefined): Statement {
  if (text === undefined || (typeof config !== 'string' && config.submit)) return config
  const name = preparedOn ? preparedNames.get(text) : undefined
  if (typeof config === 'string') return name === undefined ? config : { name, text }
  const values = withLiterals(config.values)
  if (values === config.values && (name === undefined || config.name)) return config
  return { ...config, ...(name && !config.name ? { name } : {}), values }
}

/** The values may be the callback: the driver's calls have several forms. */
function withLiterals(values: unknown): unknown {
  if (!Array.isArray(values) || !values.some(Array.isArray)) return values
  return values.map((value) =>
    Array.isArray(value) ? (binaryArray(value) ?? arrayLiteral(value) ?? value) : value,
  )
}
