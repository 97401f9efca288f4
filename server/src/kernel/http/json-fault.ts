/** Characters that are read in one step: some ten milliseconds. */
const partLength = 1024 * 1024

/**
 * Reads a text by the grammar of RFC 8259, and by the rules that `parseJson` adds, up to the first
 * character that breaks one: a step for each part of the text. Answers a sentence with line and
 * column, or nothing when all is well.
 */
export function* findJsonFault(
  text: string,
  depthMax: number,
): Generator<undefined, string | undefined> {
  if (text.startsWith('\uFEFF')) {
    return 'The body starts with a byte order mark; send UTF-8 without one.'
  }
  try {
    yield* new Reader(text, depthMax).readText()
    return undefined
  } catch (error) {
    if (!(error instanceof Fault)) throw error
    yield
    return `${error.message} at ${placeOf(text, error.at)}.`
  }
}

function placeOf(text: string, at: number): string {
  let line = 1
  for (let index = 0; index < at; index++) if (text.charCodeAt(index) === newLine) line++
  const lineStart = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
  return `line ${line}, column ${at - lineStart + 1}`
}

class Fault extends Error {
  readonly at: number
  constructor(at: number, message: string) {
    super(message)
    this.at = at
  }
}

/** The keys so far of an object that is open; nothing for a list. */
type Open = Set<string> | undefined

class Reader {
  private at = 0
  private readonly text: string
  private readonly depthMax: number
  /** What the next value lies in, the outermost first. */
  private readonly open: Open[] = []

  constructor(text: string, depthMax: number) {
    this.text = text
    this.depthMax = depthMax
  }

  *readText(): Generator<undefined, void> {
    this.skipBlank()
    if (this.at === this.text.length) throw new Fault(this.at, 'The body is empty: JSON expected')
    let partEnd = partLength
    for (let isMore = true; isMore; ) {
      if (this.at > partEnd) {
        yield
        partEnd = this.at + partLength
      }
      isMore = this.readValue() || this.readEnds()
    }
    this.skipBlank()
    if (this.at < this.text.length) this.refuse('Not valid JSON: the end of the body expected')
  }

  /** @returns whether it is an object or a list whose first value follows */
  private readValue(): boolean {
    const first = this.text[this.at]
    if (first === '"') this.readString()
    else if (first === '{' || first === '[') return this.readStart(first)
    else if (this.accept(wordPattern) === undefined) this.readNumber()
    return false
  }

  private readStart(first: '{' | '['): boolean {
    if (this.open.length === this.depthMax) {
      this.refuse(`Nesting deeper than ${this.depthMax} levels`)
    }
    this.at++
    this.skipBlank()
    if (this.take(first === '{' ? '}' : ']')) return false
    const keys: Open = first === '{' ? new Set() : undefined
    this.open.push(keys)
    if (keys) this.readKey(keys)
    return true
  }

  private readKey(keys: Set<string>) {
    const start = this.at
    if (this.text[start] !== '"') this.refuse('Not valid JSON: a quoted key expected')
    const key = this.readString()
    if (keys.has(key)) throw new Fault(start, 'A key is repeated in the same object')
    if (key === '__proto__') throw new Fault(start, 'The key __proto__ is not allowed')
    keys.add(key)
    this.skipBlank()
    if (!this.take(':')) this.refuse('Not valid JSON: a colon expected')
    this.skipBlank()
  }

  /**
   * Behind a value: closes what ends there.
   *
   * @returns whether another value follows
   */
  private readEnds(): boolean {
    while (this.open.length > 0) {
      const keys = this.open.at(-1)
      this.skipBlank()
      if (this.take(',')) {
        this.skipBlank()
        if (keys) this.readKey(keys)
        return true
      }
      const end = keys ? '}' : ']'
      if (!this.take(end)) this.refuse(`Not valid JSON: a comma or ${end} expected`)
      this.open.pop()
    }
    return false
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
    while (blanks.has(this.code())) this.at++
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

const newLine = 0x0a
const blanks = new Set([0x20, 0x09, 0x0d, newLine])
const wordPattern = /true|false|null/y
// All but the quote, the backslash and what lies below the space.
const plainPattern = /[ !#-[\]-\uffff]*/y
const fourHexadecimal = /^[\da-f]{4}$/i
const [quote, backslash] = [0x22, 0x5c]
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
