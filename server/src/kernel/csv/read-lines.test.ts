import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lineCharactersMax, readLines } from './read-lines.ts'

async function read(text: string | Buffer, pieceBytes: number) {
  const bytes = Buffer.from(text as string)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
  }
  const lines: string[] = []
  for await (const line of readLines(pieces())) lines.push(line)
  return lines
}

test('lines are the same however the text is cut into pieces', async () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', '雪', ' ', ','), maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.integer({ min: 1, max: 7 }),
      async (lines, lineEnd, pieceBytes) => {
        expect(await read(lines.map((each) => each + lineEnd).join(''), pieceBytes)).toEqual(lines)
      },
    ),
    { numRuns: 300 },
  )
})

test('a mark of the encoding is no part of the first line, and the last one needs no end', async () => {
  expect(await read('\ufeffa@b.example\r\nb\r\n\nc', 3)).toEqual(['a@b.example', 'b', '', 'c'])
})

test('a file that a spreadsheet wrote in UTF-16 is read by its mark', async () => {
  const file = Buffer.from('\ufeffa@bücher.example\r\nb\r\n', 'utf16le')
  for (const bytes of [file, Buffer.from(file).swap16()]) {
    expect(await read(bytes, 5)).toEqual(['a@bücher.example', 'b'])
  }
})

test('of a line as long as a file its beginning is read, and the next one whole', async () => {
  const long = 'x'.repeat(300_000)
  for (const lineEnd of ['\n', '\r\n', '\r']) {
    const [first, ...rest] = await read(`${long}${lineEnd}b${lineEnd}`, 1 << 16)
    expect([first?.length, rest]).toEqual([lineCharactersMax, ['b']])
  }
})
