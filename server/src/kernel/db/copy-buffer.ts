/**
 * Rows in the binary format of COPY (PostgreSQL's manual, "COPY", Binary Format), which needs neither
 * escapes nor parsing. The columns have to have just these types.
 */
export class CopyBuffer {
  #bytes: Buffer
  #length = 0
  readonly #allocate: (bytes: number) => Buffer

  /**
   * @param bytes to begin with; memory that is not touched costs nothing
   * @param allocate where it is to be had
   */
  constructor(bytes = 1 << 16, allocate: (bytes: number) => Buffer = Buffer.allocUnsafe) {
    this.#bytes = allocate(bytes)
    this.#allocate = allocate
  }

  get length(): number {
    return this.#length
  }

  /** What was written so far; valid until more is. */
  slice(start = 0, end = this.#length): Buffer {
    return this.#bytes.subarray(start, end)
  }

  /** Forgets what was written, and keeps the memory. */
  clear() {
    this.#length = 0
  }

  startRow(columns: number) {
    this.#reserve(2)
    this.#length = this.#bytes.writeInt16BE(columns, this.#length)
  }

  null() {
    this.#reserve(4)
    this.#length = this.#bytes.writeInt32BE(-1, this.#length)
  }

  text(value: string | null) {
    if (value === null) return this.null()
    // A character takes three bytes at most.
    this.#reserve(4 + 3 * value.length)
    const size = this.#writeAscii(value) ?? this.#bytes.write(value, this.#length + 4)
    this.#writeSize(size)
    this.#length += size
  }

  bytea(value: Buffer) {
    this.#reserve(4)
    this.#length = this.#bytes.writeInt32BE(value.length, this.#length)
    this.append(value)
  }

  /** Written before, with its length. */
  append(bytes: Buffer) {
    this.#reserve(bytes.length)
    const target = this.#bytes
    let at = this.#length
    // A call costs more than a few bytes.
    if (bytes.length > 64) at += bytes.copy(target, at)
    else for (let i = 0; i < bytes.length; i++) target[at++] = bytes[i] as number
    this.#length = at
  }

  /** What was written into another one, from `start` to `end`. */
  appendFrom(other: CopyBuffer, start: number, end: number) {
    this.#reserve(end - start)
    const target = this.#bytes
    const source = other.#bytes
    let at = this.#length
    for (let i = start; i < end; i++) target[at++] = source[i] as number
    this.#length = at
  }

  /** A text that is in other bytes already, from `start` to `end`. */
  textFrom(source: Buffer, start: number, end: number) {
    this.#reserve(4 + end - start)
    this.#writeSize(end - start)
    const target = this.#bytes
    let at = this.#length
    for (let i = start; i < end; i++) target[at++] = source[i] as number
    this.#length = at
  }

  /** Over what was written at this place. */
  overwrite(at: number, bytes: Buffer) {
    const target = this.#bytes
    for (let i = 0; i < bytes.length; i++) target[at + i] = bytes[i] as number
  }

  overwriteInteger(at: number, value: number) {
    this.#bytes.writeInt32BE(value, at)
  }

  boolean(value: boolean) {
    this.#reserve(5)
    this.#length = this.#bytes.writeInt32BE(1, this.#length)
    this.#bytes[this.#length++] = value ? 1 : 0
  }

  integer(value: number | null) {
    if (value === null) return this.null()
    this.#reserve(8)
    this.#bytes.writeInt32BE(4, this.#length)
    this.#length = this.#bytes.writeInt32BE(value, this.#length + 4)
  }

  uuid(value: string | null) {
    if (value === null) return this.null()
    this.bytea(uuidBytes(value))
  }

  timestamp(value: Date) {
    this.#reserve(12)
    this.#bytes.writeInt32BE(8, this.#length)
    const microseconds = BigInt(value.getTime() - epochMs) * 1000n
    this.#length = this.#bytes.writeBigInt64BE(microseconds, this.#length + 4)
  }

  /** text[] */
  texts(values: string[]) {
    const header = values.length === 0 ? [0, 0, textOid] : [1, 0, textOid, values.length, 1]
    this.#reserve(4 + 4 * header.length)
    const start = this.#length
    this.#length += 4
    for (const value of header) this.#length = this.#bytes.writeInt32BE(value, this.#length)
    for (const value of values) this.text(value)
    this.overwriteInteger(start, this.#length - start - 4)
  }

  #writeSize(size: number) {
    const bytes = this.#bytes
    const at = this.#length
    bytes[at] = size >>> 24
    bytes[at + 1] = size >>> 16
    bytes[at + 2] = size >>> 8
    bytes[at + 3] = size
    this.#length = at + 4
  }

  /** For few characters faster than a call; undefined where that is not enough. */
  #writeAscii(value: string): number | undefined {
    const { length } = value
    if (length > 64) return undefined
    const bytes = this.#bytes
    const start = this.#length + 4
    for (let i = 0; i < length; i++) {
      const code = value.charCodeAt(i)
      if (code > 0x7f) return undefined
      bytes[start + i] = code
    }
    return length
  }

  #reserve(bytes: number) {
    if (this.#length + bytes <= this.#bytes.length) return
    const grown = this.#allocate(2 * this.#bytes.length + bytes)
    this.#bytes.copy(grown, 0, 0, this.#length)
    this.#bytes = grown
  }
}

/** Rows in chunks for `copyFrom`, in memory that is used in turn. */
export class CopyChunks {
  readonly #buffers = [1, 2, 3].map(() => new CopyBuffer(chunkBytes))
  #turn = 0

  /** The chunk that is being filled. */
  get rows(): CopyBuffer {
    return this.#buffers[this.#turn] as CopyBuffer
  }

  /** Whether so much more fits into it. */
  takes = (bytes: number) => this.rows.length + bytes <= chunkBytes

  /** The chunk as it is; another one is filled from now on. */
  end(): Buffer {
    const chunk = this.rows.slice()
    this.#turn = (this.#turn + 1) % this.#buffers.length
    this.rows.clear()
    return chunk
  }
}

const chunkBytes = 1 << 18

export const uuidBytes = (uuid: string) => Buffer.from(uuid.replaceAll('-', ''), 'hex')

/** What comes before the rows, and after them. */
export const copyStart = Buffer.concat([
  Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'),
  Buffer.alloc(8),
])
export const copyEnd = Buffer.from([0xff, 0xff])

/** PostgreSQL counts from 2000 on. */
const epochMs = Date.UTC(2000, 0, 1)

const textOid = 25
