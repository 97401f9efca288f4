/** What came before was read well. */
export class BrokenFile extends Error {
  override name = 'BrokenFile'
}

/**
 * Text in UTF-8, without a byte order mark, which goes before the encoding that is given. Bytes that are
 * said to be UTF-8 stay as they are: the rows that are not are told apart later.
 *
 * @param encoding a label of the WHATWG encoding standard
 */
export async function* recode(
  pieces: AsyncGenerator<Buffer>,
  encoding: string,
): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined
  let isFirst = true
  for await (const piece of pieces) {
    if (isFirst) decoder = new TextDecoder(markedEncoding(piece) ?? encoding)
    if (decoder?.encoding === 'utf-8') yield isFirst ? withoutMark(piece) : piece
    else yield Buffer.from(decoder?.decode(piece, { stream: true }) ?? '')
    isFirst = false
  }
  // Half a character at the end of the file.
  if (decoder && decoder.encoding !== 'utf-8') yield Buffer.from(decoder.decode())
}

/** The encoding that a byte order mark names. */
export function markedEncoding(piece: Buffer): string | undefined {
  if (piece[0] === 0xff && piece[1] === 0xfe) return 'utf-16le'
  if (piece[0] === 0xfe && piece[1] === 0xff) return 'utf-16be'
  return piece.subarray(0, 3).equals(utf8Mark) ? 'utf-8' : undefined
}

const utf8Mark = Buffer.from('\ufeff')

const withoutMark = (piece: Buffer) =>
  piece.subarray(0, 3).equals(utf8Mark) ? piece.subarray(3) : piece
