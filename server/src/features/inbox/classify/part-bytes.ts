import PostalMime from 'postal-mime'

/**
 * Lets postal-mime keep every byte of what is attached, in this thread and from now on. By itself it ends
 * each line of a part with a line feed, the last one too, and writes calendars anew.
 */
export function keepBytesOfParts() {
  const parser: Parser = PostalMime.prototype as never
  const node: MimeNode = Object.getPrototypeOf((new PostalMime() as unknown as Parser).root)
  const setup = node.setupContentDecoder
  node.setupContentDecoder = function (encoding) {
    if (/base64/i.test(encoding)) setup.call(this, encoding)
    else this.contentDecoder = new PartBytes(/quoted-printable/i.test(encoding))
  }
  const collect = parser.collectAttachment
  parser.collectAttachment = function (node, content, ...more) {
    collect.call(this, node, content, ...more)
    const attachment = this.attachments.at(-1)
    if (attachment) attachment.content = content
  }
}

/** What this uses of the library's inside. */
interface Parser {
  root: MimeNode
  attachments: { content: unknown }[]
  collectAttachment: (this: Parser, node: MimeNode, content: unknown, ...more: unknown[]) => void
}

interface MimeNode {
  contentDecoder: PartBytes
  setupContentDecoder: (this: MimeNode, encoding: string) => void
}

/** The lines of a part, which follow each other in the source: with what stands between them. */
class PartBytes {
  readonly #isQuoted: boolean
  #first: Uint8Array | undefined
  #last: Uint8Array | undefined

  /** @param isQuoted quoted-printable */
  constructor(isQuoted: boolean) {
    this.#isQuoted = isQuoted
  }

  /** @param line of the source, without its end */
  update(line: Uint8Array) {
    this.#first ??= line
    this.#last = line
  }

  finalize(): Promise<Uint8Array> {
    const [first, last] = [this.#first, this.#last]
    if (!first || !last) return Promise.resolve(new Uint8Array())
    const end = last.byteOffset + last.length
    const bytes = Buffer.from(first.buffer, first.byteOffset, end - first.byteOffset)
    return Promise.resolve(this.#isQuoted ? unquoted(bytes) : bytes)
  }
}

/** Quoted-printable: `=3D` is a byte, and a line that ends in `=` goes on in the next. */
function unquoted(quoted: Buffer): Uint8Array {
  const bytes = Buffer.alloc(quoted.length)
  let length = 0
  for (let at = 0; at < quoted.length; at++) {
    const byte = quoted[at] ?? 0
    const next = byte === equalsSign ? quoted.toString('latin1', at + 1, at + 3) : null
    if (next === '' || next === '\r\n' || next?.startsWith('\n')) {
      at += next.indexOf('\n') + 1
    } else if (next !== null && /^[\da-f]{2}$/i.test(next)) {
      bytes[length++] = Number.parseInt(next, 16)
      at += 2
    } else {
      bytes[length++] = byte
    }
  }
  return bytes.subarray(0, length)
}

const equalsSign = 0x3d
