import { CopyBuffer } from '../../../kernel/db/copy-buffer.ts'
import { idBytes, RowBytes, type RowMemory } from './row-bytes.ts'
import { SharedNumbers, sharedBytes } from './shared-memory.ts'

/**
 * Many rows as COPY takes them, one after the other: what is told apart by, which is filled in when
 * the row is written, then its own fields, of which the first is its key, then what all have.
 */
export class Rows {
  readonly fields = new CopyBuffer(1 << 25, sharedBytes)
  readonly #head: Buffer
  #tail: Buffer = Buffer.alloc(0)
  readonly #ends = new SharedNumbers()

  /** @param columns of the whole row */
  constructor(columns: number) {
    const head = new CopyBuffer(64)
    head.startRow(columns)
    head.bytea(Buffer.alloc(idBytes))
    head.integer(0)
    this.#head = Buffer.from(head.slice())
  }

  /**
   * Forgets the rows, and keeps the memory.
   *
   * @param tail the fields that all rows end with, as COPY takes them
   */
  clear(tail: Buffer) {
    this.fields.clear()
    this.#ends.clear()
    this.#tail = tail
  }

  /** Its own fields are written next. */
  start() {
    this.fields.append(this.#head)
  }

  /** The fields that were written since `start` are the row's own. */
  end(hasCompany: boolean) {
    if (hasCompany) this.fields.bytea(noId)
    else this.fields.null()
    this.fields.append(this.#tail)
    this.#ends.push(this.fields.length)
  }

  /** They are read until more are written. */
  read = () => new RowBytes(this.memory())

  /** The same for another thread. */
  memory = (): RowMemory => ({
    bytes: this.fields.slice(),
    ends: this.#ends.values,
    count: this.#ends.length,
    headBytes: this.#head.length,
    tailBytes: this.#tail.length,
  })
}

const noId = Buffer.alloc(idBytes)
