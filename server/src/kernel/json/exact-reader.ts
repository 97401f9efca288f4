/** Characters that are read in one step: some ten milliseconds. */
const partLength = 1024 * 1024

/** A text is not what an `ExactReader` takes: a sentence with line and column, never with content. */
export class JsonFault extends SyntaxError {
  override name = 'JsonFault'

  constructor(text: string, at: number, message: string) {
    super(`${message} at ${placeOf(text, at)}.`)
  }
}

function placeOf(text: string, at: number): string {
  let line = 1
  for (let index = 0; index < at; index++) if (text.charCodeAt(index) === newLine) line++
  const lineStart = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1
  return `line ${line}, column ${at - lineStart + 1}`
}

/** What a body has to keep to beside the grammar: no key twice, no `__proto__`, texts that PostgreSQL can keep. */
export interface BodyRules {
  /** Nested objects and lists, the outermost counted. */
  depthMax: number
}

/** An object or a list that is open. */
type Open = { members: Record<string, unknown>; key: string } | { items: unknown[] }

/**
 * Reads a text by the grammar of RFC 8259 up to the first character that breaks it: as a value what
 * JSON.parse makes of it or, with the rules of bodies, what `parseJson` does. It is many times slower
 * than JSON.parse.
 */
export class ExactReader {
  private at = 0
  private readonly text: string
  private readonly bodyRules: BodyRules | undefined
  /** What the next value lies in, the outermost first. */
  private readonly open: Open[] = []
  /** What was read last. */
  private value: unknown

  /** @param bodyRules undefined for a text that JSON.parse would be trusted with */
  constructor(text: string, bodyRules?: BodyRules) {
    this.text = text
    this.bodyRules = bodyRules
  }

  /**
   * A step for each part of the text.
   *
   * @returns its value
   * @throws JsonFault
   */
  *readText(): Generator<undefined, unknown> {
    this.skipBlank()
    if (this.at === this.text.length) this.refuse('The body is empty: JSON expected')
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
    return this.value
  }

  /** @returns whether it is an object or a list whose first value follows */
  private readValue(): boolean {
    const first = this.text[this.at]
    if (first === '{' || first === '[') return this.readStart(first)
    if (first === '"') this.value = this.readString()
    else {
      const word = this.accept(wordPattern)
      this.value = word === undefined ? this.readNumber() : words[word]
    }
    return false
  }

  private readStart(first: '{' | '['): boolean {
    const { depthMax } = this.bodyRules ?? {}
    if (this.open.length === depthMax) this.refuse(`Nesting deeper than ${depthMax} levels`)
    this.at++
    this.skipBlank()
    const open: Open = first === '{' ? { members: {}, key: '' } : { items: [] }
    if (this.take(first === '{' ? '}' : ']')) {
      this.value = contentOf(open)
      return false
    }
    this.open.push(open)
    if ('members' in open) open.key = this.readKey(open.members)
    return true
  }

  private readKey(members: Record<string, unknown>): string {
    const start = this.at
    if (this.text[start] !== '"') this.refuse('Not valid JSON: a quoted key expected')
    const key = this.readString()
    if (this.bodyRules && Object.hasOwn(members, key)) {
      this.refuse('A key is repeated in the same object', start)
    }
    if (this.bodyRules && key === '__proto__')
      this.refuse('The key __proto__ is not allowed', start)
    this.skipBlank()
    if (!this.take(':')) this.refuse('Not valid JSON: a colon expected')
    this.skipBlank()
    return key
  }

  /**
   * Behind a value: puts it where it belongs, and closes what ends there.
   *
   * @returns whether another value follows
   */
  private readEnds(): boolean {
    for (let open = this.open.at(-1); open; open = this.open.at(-1)) {
      if ('items' in open) open.items.push(this.value)
      else if (open.key !== '__proto__') open.members[open.key] = this.value
      else {
        // To assign it would give the object another prototype.
        const member = { value: this.value, writable: true, enumerable: true, configurable: true }
        Object.defineProperty(open.members, open.key, member)
      }
      this.skipBlank()
      if (this.take(',')) {
        this.skipBlank()
        if ('members' in open) open.key = this.readKey(open.members)
        return true
      }
      const end = 'members' in open ? '}' : ']'
      if (!this.take(end)) this.refuse(`Not valid JSON: a comma or ${end} expected`)
      this.value = contentOf(open)
      this.open.pop()
    }
    return false
  }

  private readString(): string {
    const start = this.at++
    let escaped = false
    for (this.accept(plainPattern); this.code() !== quote; this.accept(plainPattern)) {
      if (this.at >= this.text.length) this.refuse('Not valid JSON: a string without end', start)
      if (this.code() !== backslash) this.refuse('Not valid JSON: a control character in a string')
      while (this.code() === backslash) this.readEscape()
      escaped = true
    }
    this.at++
    if (!escaped) return this.text.slice(start + 1, this.at - 1)
    const decoded = JSON.parse(this.text.slice(start, this.at)) as string
    if (!this.bodyRules) return decoded
    if (decoded.includes('\0')) this.refuse('A NUL character in the string', start)
    if (!decoded.isWellFormed()) this.refuse('Half a surrogate pair in the string', start)
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

  private readNumber(): number {
    const start = this.at
    const digits = this.accept(numberPattern)
    if (digits === undefined) this.refuse('Not valid JSON: a value expected')
    const value = Number(digits)
    if (this.bodyRules && !Number.isFinite(value)) {
      this.refuse('A number too large for a double', start)
    }
    return value
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

  private refuse(message: string, at = this.at): never {
    throw new JsonFault(this.text, at, message)
  }
}

const contentOf = (open: Open) => ('members' in open ? open.members : open.items)

const newLine = 0x0a
const blanks = new Set([0x20, 0x09, 0x0d, newLine])
const wordPattern = /true|false|null/y
const words: Record<string, unknown> = { true: true, false: false, null: null }
// All but the quote, the backslash and what lies below the space.
const plainPattern = /[ !#-[\]-\uffff]*/y
const fourHexadecimal = /^[\da-f]{4}$/i
const [quote, backslash] = [0x22, 0x5c]
const numberPattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
