import fc from 'fast-check'
import { expect, test } from 'vitest'
import { columnsMax, readCsv } from './read-csv.ts'

/** @returns the fields of each row, and in the end why what follows cannot be read */
async function read(text: string | Buffer, { piece = 1 << 20, delimiter = ',' } = {}) {
  const bytes = Buffer.from(text as string)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece)
  }
  const rows: (string[] | string)[] = []
  try {
    for await (const read of readCsv(pieces(), delimiter)) rows.push(...read)
  } catch (error) {
    rows.push((error as Error).message)
  }
  return rows
}

const quoted = (field: string) => `"${field.replaceAll('"', '""')}"`

test('whatever is written by RFC 4180 is read, with any line ends, wherever the pieces are cut', async () => {
  const field = fc.string({ unit: fc.constantFrom('a', 'é', '雪', '"', ',', '\n', '\r', ' ') })
  const rows = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 6 })
  const lineEnds = fc.array(fc.constantFrom('\n', '\r\n', '\r'), { minLength: 6, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(
      rows,
      lineEnds,
      fc.integer({ min: 1, max: 7 }),
      async (rows, lineEnds, piece) => {
        const text = rows.map((row, at) => row.map(quoted).join(',') + lineEnds[at]).join('')
        expect(await read(text, { piece })).toEqual(rows)
      },
    ),
    { numRuns: 300 },
  )
})

test('fields without quotes are read up to the delimiter or the line end', async () => {
  expect(await read('a,b\r\nc,,\n,d\re')).toEqual([['a', 'b'], ['c', '', ''], ['', 'd'], ['e']])
  expect(await read('a;b,c\n', { delimiter: ';' })).toEqual([['a', 'b,c']])
})

test('a blank line is a row of one empty field', async () => {
  expect(await read('a\n\n\r\nb\n')).toEqual([['a'], [''], [''], ['b']])
})

test('the last row needs no line end', async () => {
  expect(await read('a,b\nc,d')).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ])
  expect(await read('a,"b"')).toEqual([['a', 'b']])
  expect(await read('a,')).toEqual([['a', '']])
  expect(await read('')).toEqual([])
})

test('a quote in the middle of a field is a character', async () => {
  expect(await read('5" disk,b\n')).toEqual([['5" disk', 'b']])
})

test('a field that goes on behind its closing quote keeps its quotes', async () => {
  expect(await read('"a" b,c\n')).toEqual([['"a" b', 'c']])
})

test('a quote that is never closed ends the file, after the rows before it', async () => {
  const rows = [['a', 'b'], [''], 'The file has a quote in row 3 that is not closed.']
  for (const piece of [1, 3, 1 << 20]) {
    expect(await read('a,b\n\n1,"x\nc,d\ne,f\n', { piece })).toEqual(rows)
  }
})

test('a quote that is closed by the next one that opens ends the file, after the rows before it', async () => {
  const rows = [['a', 'b'], 'The file has a quote in row 2 that is not closed.']
  for (const piece of [1, 3, 1 << 20]) {
    expect(await read('a,b\n1,"Acme\n2,"Foo\n3,Bar\n', { piece })).toEqual(rows)
    expect(await read('a,b\r\n1,"Acme ""Inc""\r\n2,"Foo\r\n', { piece })).toEqual(rows)
  }
})

test('a field of several lines that begins with a quotation is read', async () => {
  const said = '"Well,\nwell" said Ann'
  for (const piece of [1, 3, 1 << 20]) {
    const text = `a,b\n"${'x'.repeat(20)}",${quoted(said)}\n${quoted('"\n')},"c" d\n`
    expect(await read(text, { piece })).toEqual([
      ['a', 'b'],
      ['x'.repeat(20), said],
      ['"\n', '"c" d'],
    ])
  }
})

test('a row of more than 1.1 MB ends the file, whatever is behind it', async () => {
  const fault = 'Row 2 of the file is longer than 1.1 MB: a quote in it may not be closed.'
  for (const long of ['x'.repeat(9_000_000), `"open,b\n${'x,y\n'.repeat(3_000_000)}`]) {
    expect(await read(`a,b\n${long}\nc,d\n`, { piece: 1 << 18 })).toEqual([['a', 'b'], fault])
  }
})

test('a field of a megabyte is read', async () => {
  const long = 'x'.repeat(450_000)
  expect(await read(`a,"${long}"\n${long},b\n`, { piece: 1 << 16 })).toEqual([
    ['a', long],
    [long, 'b'],
  ])
})

test('what is not UTF-8 is told by the character in its place', async () => {
  const latin1 = Buffer.from('caf\xe9,1\n', 'latin1')
  const text = Buffer.concat([Buffer.from('a,é\n'), latin1, Buffer.from('b,雪\n')])
  for (const piece of [1, 2, 100]) {
    expect(await read(text, { piece })).toEqual([
      ['a', 'é'],
      ['caf\ufffd', '1'],
      ['b', '雪'],
    ])
  }
})

test('a row of a thousand fields is read', async () => {
  const fields = Array.from({ length: 1000 }, (_, at) => `field ${at}`)
  expect(await read(`${fields.join(',')}\n`)).toEqual([fields])
})

test('what a row says beyond a thousand fields is not lost from sight', async () => {
  const fields = Array.from({ length: columnsMax }, () => 'a')
  const [row] = await read(`${fields.join(',')},,,${','.repeat(500)}beyond,more\n`)
  expect(row).toEqual([...fields, 'beyond'])
  expect(await read(`${fields.join(',')},,,\n`)).toEqual([[...fields, '']])
})
