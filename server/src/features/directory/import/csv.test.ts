import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CsvScanner, findDelimiter } from './csv.ts'
import { RowView } from './row-view.ts'

/** @returns the fields of each row, or why it cannot be read */
function read(text: string | Buffer, { piece = 1 << 20, delimiter = ',' } = {}) {
  const bytes = Buffer.from(text as string)
  const row = new RowView()
  const scanner = new CsvScanner(row, delimiter)
  const rows: (string[] | string)[] = []
  const drain = () => {
    while (scanner.next()) rows.push(row.fault ?? row.texts())
  }
  for (let at = 0; at < bytes.length; at += piece) {
    scanner.feed(bytes.subarray(at, at + piece))
    drain()
  }
  scanner.end()
  drain()
  return rows
}

const quoted = (field: string) => `"${field.replaceAll('"', '""')}"`

test('whatever is written by RFC 4180 is read, with any line ends, wherever the pieces are cut', () => {
  const field = fc.string({ unit: fc.constantFrom('a', 'é', '雪', '"', ',', '\n', '\r', ' ') })
  const rows = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 6 })
  const lineEnds = fc.array(fc.constantFrom('\n', '\r\n', '\r'), { minLength: 6, maxLength: 6 })
  fc.assert(
    fc.property(rows, lineEnds, fc.integer({ min: 1, max: 7 }), (rows, lineEnds, piece) => {
      const text = rows.map((row, at) => row.map(quoted).join(',') + lineEnds[at]).join('')
      expect(read(text, { piece })).toEqual(rows)
    }),
    { numRuns: 300 },
  )
})

test('fields without quotes are read up to the delimiter or the line end', () => {
  expect(read('a,b\r\nc,,\n,d\re')).toEqual([['a', 'b'], ['c', '', ''], ['', 'd'], ['e']])
  expect(read('a;b,c\n', { delimiter: ';' })).toEqual([['a', 'b,c']])
})

test('a blank line is a row without fields', () => {
  expect(read('a\n\n\r\nb\n')).toEqual([['a'], [], [], ['b']])
})

test('the last row needs no line end', () => {
  expect(read('a,b\nc,d')).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
  expect(read('a,"b"')).toEqual([['a', 'b']])
  expect(read('a,')).toEqual([['a', '']])
  expect(read('')).toEqual([])
})

test('a quote in the middle of a field is a character', () => {
  expect(read('5" disk,b\n')).toEqual([['5" disk', 'b']])
})

test('what follows a closing quote belongs to the field, as spreadsheets read it', () => {
  expect(read('"a" b,"c""d"e\n')).toEqual([['a b', 'c"de']])
})

describe('a quote that is never closed', () => {
  test('costs one line', () => {
    const rows = [['a', 'b'], 'a quote is not closed', ['c', 'd'], ['e', 'f']]
    for (const piece of [1, 3, 1 << 20]) {
      expect(read('a,b\n1,"x\nc,d\ne,f\n', { piece })).toEqual(rows)
    }
  })

  test('costs one line of a file that is longer than any row', () => {
    const line = `${'x'.repeat(1000)},y\n`
    const rows = read(`"open,b\n${line.repeat(9000)}`, { piece: 1 << 18 })
    expect(rows[0]).toBe('a quote is not closed')
    expect(rows).toHaveLength(9001)
    expect(rows.at(-1)).toEqual(['x'.repeat(1000), 'y'])
  })
})

test('a line that is longer than any row is skipped to its end', () => {
  const rows = read(`${'x'.repeat(9_000_000)},y\na,b\n`, { piece: 1 << 18 })
  expect(rows).toEqual(['it is too long', ['a', 'b']])
})

test('a field of a megabyte is read', () => {
  const long = 'x'.repeat(1_000_000)
  expect(read(`a,"${long}"\n${long},b\n`, { piece: 1 << 16 })).toEqual([
    ['a', long],
    [long, 'b'],
  ])
})

test('a row that is not UTF-8 is told apart from the others', () => {
  const latin1 = Buffer.from('caf\xe9,1\n', 'latin1')
  const text = Buffer.concat([Buffer.from('a,é\n'), latin1, Buffer.from('b,雪\n')])
  for (const piece of [1, 2, 100]) {
    expect(read(text, { piece })).toEqual([
      ['a', 'é'],
      "it is not written in the file's encoding",
      ['b', '雪'],
    ])
  }
})

test('a row of a thousand fields is read', () => {
  const fields = Array.from({ length: 1000 }, (_, at) => `field ${at}`)
  expect(read(`${fields.join(',')}\n`)).toEqual([fields])
})

test.each([
  ['a,b,c', ','],
  ['a;b;c', ';'],
  ['a\tb', '\t'],
  ['a|b|c,d', '|'],
  ['alone', ','],
])('the delimiter of %j is %j', (line, delimiter) => {
  expect(findDelimiter(line)).toBe(delimiter)
})
