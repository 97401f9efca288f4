import { ByteTable } from '../terms/index.ts'
import type { RowView } from './row-view.ts'

/** A map whose keys are fields of rows, compared by their bytes. */
export class TextTable<T> {
  readonly #entriesMax: number
  readonly #keys = new ByteTable()
  #values: T[] = []

  /** @param entriesMax with more it forgets all of them */
  constructor(entriesMax: number) {
    this.#entriesMax = entriesMax
  }

  get isFull(): boolean {
    return this.#values.length >= this.#entriesMax
  }

  get(row: RowView, column: number): T | undefined {
    const { bytes, starts, ends } = row
    const number = this.#keys.find(bytes, starts[column] as number, ends[column] as number)
    return number < 0 ? undefined : this.#values[number]
  }

  /** For a key that is not there. */
  set(row: RowView, column: number, value: T) {
    if (this.isFull) this.clear()
    this.#keys.numberOf(row.bytes, row.starts[column] as number, row.ends[column] as number)
    this.#values.push(value)
  }

  clear() {
    this.#keys.clear()
    this.#values = []
  }
}
