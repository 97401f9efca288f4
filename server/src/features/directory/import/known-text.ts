import { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'
import { type BlockBuilder, type Field, type Term, termsOf } from '../term-index/index.ts'
import type { RowView } from './row-view.ts'
import { TextTable } from './text-table.ts'
import { readText } from './values.ts'
import type { Vocabulary } from './vocabulary.ts'

/** A value as rows have it, with what was found out about it. */
export class KnownText {
  readonly text: string | null
  /** As COPY takes it. */
  readonly copied: Buffer
  readonly terms: Term[]
  #numbers: number[] = []
  /** Not the builder itself, which would live as long as the value. */
  #era: object | undefined

  constructor(field: Field, text: string | null) {
    this.text = text
    this.copied = copyOf(text)
    this.terms = text === null ? [] : termsOf[field](text)
  }

  /** The numbers that its terms have there. */
  termsIn(builder: BlockBuilder): number[] {
    if (this.#era !== builder.era) {
      this.#era = builder.era
      this.#numbers = this.terms.map((term) => builder.numberOf(term))
    }
    return this.#numbers
  }
}

function copyOf(text: string | null): Buffer {
  const buffer = new CopyBuffer(4 + 3 * (text?.length ?? 0))
  buffer.text(text)
  return buffer.slice()
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
    const text = readText(this.#name, row.text(this.#column), this.#charactersMax)
    const value = new KnownText(this.#field, text)
    this.#table.set(row, this.#column, value)
    this.#vocabulary.note(value.terms)
    return value
  }
}

const valuesMax = 50_000
