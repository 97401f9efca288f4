import { appendFile, utimes, writeFile } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { type Content, fileWith } from '../../../../test/directory-files.ts'
import { BrokenFile } from '../../../kernel/csv/recode.ts'
import { openSource } from './source.ts'

/** @param turns how long the reader is busy with each piece */
async function read(content: Content, encoding = 'utf-8', turns = 0) {
  await using source = await openSource(await fileWith(content), encoding)
  const pieces: Buffer[] = []
  let broken: unknown
  try {
    for await (const piece of source.pieces()) {
      pieces.push(piece)
      for (let i = 0; i < turns; i++) await turn()
    }
  } catch (error) {
    broken = error
  }
  return { text: Buffer.concat(pieces).toString(), broken }
}

const text = 'name\nZoë\n雪\n'

describe('the text of a file is the same', () => {
  test.each([
    ['plain', Buffer.from(text), 'utf-8'],
    ['with a byte order mark', Buffer.from(`\ufeff${text}`), 'utf-8'],
    ['in UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le'), 'utf-8'],
    [
      'in UTF-16, most significant byte first',
      Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
      'utf-8',
    ],
    ['in UTF-16 without a mark, when that is said', Buffer.from(text, 'utf16le'), 'utf-16le'],
    [
      'whatever encoding is said, where a mark tells better',
      Buffer.from(`\ufeff${text}`),
      'latin1',
    ],
    ['compressed', gzipSync(text), 'utf-8'],
    ['compressed, with a mark', gzipSync(Buffer.from(`\ufeff${text}`, 'utf16le')), 'utf-8'],
    [
      'compressed in two parts',
      Buffer.concat([gzipSync('name\n'), gzipSync('Zoë\n雪\n')]),
      'utf-8',
    ],
  ])('%s', async (_how, content, encoding) => {
    expect(await read(content, encoding)).toEqual({ text, broken: undefined })
  })

  test('in an encoding of one byte', async () => {
    expect((await read(Buffer.from('Zo\xeb \x80', 'latin1'), 'windows-1252')).text).toBe('Zoë €')
  })
})

test('half a character at the end of a file is not lost silently', async () => {
  const cut = Buffer.from('ab', 'utf16le').subarray(0, 3)
  expect((await read(cut, 'utf-16le')).text).toBe('a\ufffd')
})

describe('a compressed file that is cut off', () => {
  // Random enough to fill several pieces when it is compressed.
  const lines = Array.from({ length: 60_000 }, (_, at) => `${at},${Math.sin(at)}\n`).join('')
  const whole = gzipSync(lines)

  test.each([0.2, 0.5, 0.9999])(
    'at %d of it is read up to there, always the same',
    async (share) => {
      const cut = whole.subarray(0, Math.floor(share * whole.length))
      const first = await read(cut)
      expect(first.broken).toBeInstanceOf(BrokenFile)
      expect(first.broken).toMatchObject({
        message: 'The file ends in the middle of its compression.',
      })
      expect(lines.startsWith(first.text)).toBe(true)
      expect(first.text.length).toBeGreaterThan(0.9 * share * lines.length)
      expect((await read(cut, 'utf-8', 100)).text.length).toBe(first.text.length)
    },
  )

  test('before its last bytes has lost nothing', async () => {
    expect((await read(whole.subarray(0, -4))).text).toBe(lines)
  })

  test('or damaged says so', async () => {
    const damaged = Buffer.from(whole)
    damaged.fill(0xff, 400_000, 400_100)
    const { broken, text } = await read(damaged)
    expect(broken).toMatchObject({ message: 'The compression of the file is damaged.' })
    expect(text.length).toBeGreaterThan(0)
  })
})

describe('a file is known again', () => {
  const fingerprint = async (path: string, encoding = 'utf-8') => {
    await using source = await openSource(path, encoding)
    return source.fingerprint
  }

  test('while nobody has touched it', async () => {
    const path = await fileWith(text)
    expect(await fingerprint(path)).toBe(await fingerprint(path))
  })

  test('and is another one when it grew, was written anew, or is read in another encoding', async () => {
    const path = await fileWith(text)
    const time = new Date('2026-01-01')
    await utimes(path, time, time)
    const before = await fingerprint(path)
    expect(await fingerprint(path, 'latin1')).not.toBe(before)
    await writeFile(path, text)
    expect(await fingerprint(path)).not.toBe(before)
    await appendFile(path, 'more\n')
    await utimes(path, time, time)
    expect(await fingerprint(path)).not.toBe(before)
  })
})

test('what is not a file is refused', async () => {
  await expect(openSource('/', 'utf-8')).rejects.toThrow('/ is not a file.')
  await expect(openSource('/no/such/file', 'utf-8')).rejects.toThrow('ENOENT')
})
