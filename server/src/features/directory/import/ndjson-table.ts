import { type Columns, chooseColumns, fieldIn, fieldNames } from './columns.ts'
import { NdjsonScanner } from './ndjson.ts'
import { RowView } from './row-view.ts'
import { feeding, headerRowMax, noColumns, type Table, type TableOptions } from './table.ts'

/** @throws when no member of the first lines is known */
export function openNdjson(
  first: Buffer,
  pieces: AsyncGenerator<Buffer>,
  options: TableOptions,
): NdjsonTable {
  const columns = chooseColumns(membersIn(first), options.map, options.kind)
  if (Object.values(columns.at).every((place) => place < 0)) throw new Error(noColumns)
  const scanner = new NdjsonScanner()
  scanner.feed(first)
  return new NdjsonTable(scanner, feeding(pieces, scanner), columns, options)
}

/** The names in the first lines. */
function membersIn(first: Buffer): string[] {
  const scanner = new NdjsonScanner()
  scanner.feed(first)
  if (!first.includes('\n')) scanner.end()
  const names = new Set<string>()
  for (let line = 0; line < headerRowMax && scanner.next(); line++) {
    for (const [name] of scanner.members) names.add(name)
  }
  return [...names]
}

/** Another object may have other members: each finds its field by itself. */
class NdjsonTable implements Table {
  readonly columns: Columns
  readonly row = new RowView()
  readonly more: Table['more']
  number = 0
  readonly #scanner: NdjsonScanner
  readonly #options: TableOptions
  readonly #places = new Map<string, number>()

  constructor(
    scanner: NdjsonScanner,
    more: Table['more'],
    columns: Columns,
    options: TableOptions,
  ) {
    const at = fieldNames.map((name, place) => [name, place])
    this.columns = { ...columns, at: Object.fromEntries(at) }
    this.more = more
    this.#scanner = scanner
    this.#options = options
  }

  next(): boolean {
    if (!this.#scanner.next()) return false
    this.number++
    const texts: string[] = []
    const { members, fault } = this.#scanner
    for (const [name, value] of members) {
      const place = this.#placeOf(name)
      if (place >= 0) texts[place] ||= value
    }
    this.row.fill(texts)
    const saysNothing = members.length > 0 && texts.length === 0
    this.row.fault = saysNothing ? 'none of its members is known' : fault
    return true
  }

  #placeOf(name: string): number {
    let place = this.#places.get(name)
    if (place === undefined) {
      const field = fieldIn(this.columns, name, this.#options.map)
      place = field === undefined ? -1 : fieldNames.indexOf(field)
      if (this.#places.size >= placesMax) this.#places.clear()
      this.#places.set(name, place)
    }
    return place
  }
}

/** There are files whose objects have their ids for names. */
const placesMax = 10_000
