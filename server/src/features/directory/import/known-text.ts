import { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'
import { type Field, type Term, type TermLists, type TermNumbers, termsOf } from '../terms/index.ts'
import type { RowView } from './row-view.ts'
import { TextTable } from './text-table.ts'
import { readShownText } from './values.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A value as rows have it, with what was found out about it. */
export class KnownText {
  readonly text: string | null
  readonly terms: Term[]
  readonly #copies: CopyBuffer
  readonly #start: number
  readonly #end: number
  /** Most have one term; -1 for another number of them. */
  #only = -1
  #numbers: number[] = none
  /** Not what they are numbered by, which would live as long as the value. */
  #era: object | undefined

  /** Where rows have just this; -1: nowhere. */
  readonly #column: number

  /** @param copies where it is written as COPY takes it */
  constructor(field: Field, text: string | null, copies = new CopyBuffer(4), column = -1) {
    this.text = text
    this.#column = column
    this.terms = text === null ? [] : termsOf[field](text)
    this.#copies = copies
    this.#start = copies.length
    copies.text(text)
    this.#end = copies.length
  }

  /** @param row that it was read from; of no meaning where it was read from none */
  copyTo(fields: CopyBuffer, row: RowView) {
    const column = this.#column
    if (column < 0) fields.appendFrom(this.#copies, this.#start, this.#end)
    // It is at hand there: its copy would have to be fetched.
    else fields.textFrom(row.bytes, row.starts[column] as number, row.ends[column] as number)
  }

  /** The numbers that its terms have there. */
  addTerms(lists: TermLists, numbers: TermNumbers) {
    if (this.#era !== numbers.era) {
      this.#era = numbers.era
      this.#only = this.terms.length === 1 ? numbers.numberOf(this.terms[0] as Term) : -1
      if (this.#only < 0) this.#numbers = this.terms.map((term) => numbers.numberOf(term))
    }
    if (this.#only >= 0) lists.add(this.#only)
    else lists.push(this.#numbers)
  }
}

export interface KnownTextOptions {
  column: number
  charactersMax: number
  vocabulary: Vocabulary
}

/** The values of one column, each read and judged once. */
export class KnownTexts {
  readonly #name: string
  readonly #charactersMax: number
  readonly #field: Field
  readonly #column: number
  readonly #vocabulary: Vocabulary
  readonly #none: KnownText
  readonly #table = new TextTable<KnownText>(valuesMax)
  // Together: a small buffer for each would hold on to much more than itself.
  #copies = new CopyBuffer()

  constructor(name: string, field: Field, options: KnownTextOptions) {
    this.#name = name
    this.#field = field
    this.#column = options.column
    this.#charactersMax = options.charactersMax
    this.#vocabulary = options.vocabulary
    this.#none = new KnownText(field, null)
  }

  /** @throws Unfit */
  read(row: RowView): KnownText {
    if (row.isEmpty(this.#column)) return this.#none
    const known = this.#table.get(row, this.#column)
    if (known) return known
    const written = row.text(this.#column)
    const text = readShownText(this.#name, written, this.#charactersMax)
    if (this.#table.isFull) this.#forget()
    const column = text === written ? this.#column : -1
    const value = new KnownText(this.#field, text, this.#copies, column)
    this.#table.set(row, this.#column, value)
    this.#vocabulary.note(value.terms)
    return value
  }

  #forget() {
    this.#table.clear()
    this.#copies = new CopyBuffer()
  }
}

const none: number[] = []

const valuesMax = 50_000
