/**
 * Reads a text by the grammar of RFC 8259, and by the rules that `parseJson` adds, up to the first
 * character that breaks one. Answers a sentence with line and column, or nothing when all is well.
 */
export function findJsonFault(text: string, depthMax: number): string | undefined {
  if (text.startsWith('\uFEFF')) {
    return 'The body starts with a byte order mark; send UTF-8 without one.'
  }
  try {
    new Reader(text, depthMax).readText()
    return undefined
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    const lines = text.slice(0, error.at).split('\n')
    const column = (lines.at(-1)?.length ?? 0) + 1
    return `${error.message} at line ${lines.length}, column ${column}.`
  }
}

class Fault extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** Recursive, which is safe because it stops at `depthMax`. */
class Reader {
  private at = 0
  private readonly text: string
  private readonly depthMax: number

  constructor(text: string, depthMax: number) {
    this.text = text
    this.depthMax = depthMax
  }

  readText() {
    this.skipBlank()
    if (this.at === this.text.length) throw new Fault(this.at, 'The body is empty: JSON expected')
    this.readValue(1)
    this.skipBlank()
    if (this.at < this.text.length) this.refuse('Not valid JSON: the end of the body expected')
  }

  private readValue(depth: number) {
    const first = this.text[this.at]
    if (first === '"') return this.readString()
    if (first === '{' || first === '[') {
      if (depth > this.depthMax) this.refuse(`Nesting deeper than ${this.depthMax} levels`)
      return first === '{' ? this.readObject(depth) : this.readArray(depth)
    }
    if (this.accept(wordPattern) !== undefined) return
    this.readNumber()
  }

  private readObject(depth: number) {
    const keys = new Set<string>()
    this.at++
    this.skipBlank()
    if (this.take('}')) return
    do {
      this.skipBlank()
      const start = this.at
      if (this.text[start] !== '"') this.refuse('Not valid JSON: a quoted key expected')
      const key = this.readString()
      if (keys.has(key)) throw new Fault(start, 'A key is repeated in the same object')
      if (key === '__proto__') throw new Fault(start, 'The key __proto__ is not allowed')
      keys.add(key)
      this.skipBlank()
      if (!this.take(':')) this.refuse('Not valid JSON: a colon expected')
      this.skipBlank()
      this.readValue(depth + 1)
      this.skipBlank()
    } while (this.take(','))
    if (!this.take('}')) this.refuse('Not valid JSON: a comma or } expected')
  }

  private readArray(depth: number) {
    this.at++
    this.skipBlank()
    if (this.take(']')) return
    do {
      this.skipBlank()
      this.readValue(depth + 1)
      this.skipBlank()
    } while (this.take(','))
    if (!this.take(']')) this.refuse('Not valid JSON: a comma or ] expected')
  }

  private readString(): string {
    const start = this.at++
    let escaped = false
    for (this.accept(plainPattern); this.code() !== quote; this.accept(plainPattern)) {
      if (this.at >= this.text.length) {
        throw new Fault(start, 'Not valid JSON: a string without end')
      }
      if (this.code() !== backslash) this.refuse('Not valid JSON: a control character in a string')
      while (this.code() === backslash) this.readEscape()
      escaped = true
    }
    this.at++
    if (!escaped) return this.text.slice(start + 1, this.at - 1)
    const decoded = JSON.parse(this.text.slice(start, this.at)) as string
    if (decoded.includes('\0')) throw new Fault(start, 'A NUL character in the string')
    if (!decoded.isWellFormed()) throw new Fault(start, 'Half a surrogate pair in the string')
    return decoded
  }

  /** Without a pattern: a string may be nothing but escapes, millions of them. */
  private readEscape() {
    const letter = this.text[this.at + 1] ?? ''
    if (letter === 'u' && fourHexadecimal.test(this.text.slice(this.at + 2, this.at + 6))) {
      this.at += 6
    } else if (letter !== '' && '"\\/bfnrt'.includes(letter)) this.at += 2
    else this.refuse('Not valid JSON: an unknown escape')
  }

  private readNumber() {
    const start = this.at
    const digits = this.accept(numberPattern)
    if (digits === undefined) this.refuse('Not valid JSON: a value expected')
    if (!Number.isFinite(Number(digits))) throw new Fault(start, 'A number too large for a double')
  }

  private skipBlank() {
    this.accept(blankPattern)
  }

  private code(): number {
    return this.text.charCodeAt(this.at)
  }

  private take(character: string): boolean {
    if (this.text[this.at] !== character) return false
    this.at++
    return true
  }

  private accept(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    this.at += found?.length ?? 0
    return found
  }

  private refuse(message: string): never {
    throw new Fault(this.at, message)
  }
}

const blankPattern = /[ \t\r\n]*/y
const wordPattern = /true|false|null/y
// All but the quote, the backslash and what lies below the space.
const plainPattern = /[ !#-[\]-\uffff]*/y
const fourHexadecimal = /^[\da-f]{4}$/i
const [quote, backslash] = [0x22, 0x5c]
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
