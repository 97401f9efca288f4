import PostalMime from 'postal-mime'

/**
 * Lets postal-mime keep the lines of a part that is sent as it is in a list. By itself it makes each
 * line a piece of a Blob, and reads that back piece by piece: of a reply of 7 kB the whole parse takes
 * 0.44 ms then, and 0.10 ms with this.
 */
export function keepLinesOfParts() {
  const proto: Partial<MimeNode> = Object.getPrototypeOf(
    (new PostalMime() as unknown as Parser).root,
  )
  const setup = proto.setupContentDecoder
  proto.setupContentDecoder = function (this: MimeNode, encoding: string) {
    if (/base64|quoted-printable/i.test(encoding)) setup?.call(this, encoding)
    else this.contentDecoder = new PartLines()
  }
}

/** What this uses of the library's inside. */
interface Parser {
  root: MimeNode
}

interface MimeNode {
  contentDecoder: PartLines
  setupContentDecoder: (this: MimeNode, encoding: string) => void
}

const lineFeed = 0x0a

class PartLines {
  readonly #lines: Uint8Array[] = []
  #bytes = 0

  update(line: Uint8Array) {
    this.#lines.push(line)
    this.#bytes += line.length + 1
  }

  finalize(): Promise<ArrayBuffer> {
    const whole = new Uint8Array(this.#bytes)
    let at = 0
    for (const line of this.#lines) {
      whole.set(line, at)
      at += line.length
      whole[at++] = lineFeed
    }
    return Promise.resolve(whole.buffer)
  }
}
