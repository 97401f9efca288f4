import { expect, test } from 'vitest'
import { Rows } from './rows.ts'

function rowsOf(...fields: (string | null)[][]): Rows {
  const rows = new Rows(5)
  rows.clear(Buffer.of(7))
  for (const row of fields) {
    rows.start()
    for (const field of row) rows.fields.text(field)
    rows.end(row.length > 2)
  }
  return rows
}

test('rows are read back as they were written', () => {
  const rows = rowsOf(['e:ada@example.com', null, ''], ['l:in/雪', 'Zoë', null])
  expect(rows.read().key(1)).toBe('l:in/雪')
  expect(rows.read().texts(0, 3)).toEqual(['e:ada@example.com', null, ''])
  expect(rows.read().texts(1, 3)).toEqual(['l:in/雪', 'Zoë', null])
})

test('what tells a row from others is filled in where it stands, and nothing else is touched', () => {
  const rows = rowsOf(['k:a', 'x', null], ['k:b', 'y'], ['k:c', 'z', 'z'])
  const [id, company] = [Buffer.alloc(16, 0xaa), Buffer.alloc(16, 0xbb)]
  const read = rows.read()
  const row = (at: number) => read.bytes.toString('hex', read.startOf(at), read.endOf(at))
  const before = row(0)
  read.identify(1, id, 0x01020304, undefined)
  read.identify(2, id, 0x05060708, company)
  expect(row(0)).toBe(before)
  expect(row(1)).toBe(
    `0005${'00000010'}${'aa'.repeat(16)}${'00000004'}01020304${'00000003'}6b3a62${'00000001'}79${'ffffffff'}07`,
  )
  expect(row(2)).toMatch(/^000500000010(aa){16}0000000405060708.*00000010(bb){16}07$/)
  expect(read.key(2)).toBe('k:c')
})

test('they are ordered by their keys, equal ones as they came', () => {
  const keys = ['e:b@example.com', 'e:a@example.com', 'e:b@example.co', 'e:a@example.com', 'e:a']
  const rows = rowsOf(...keys.map((key) => [key]))
  expect([...rows.read().order()].map((at) => keys[at])).toEqual(keys.toSorted())
  expect([...rows.read().order()].filter((at) => keys[at] === 'e:a@example.com')).toEqual([1, 3])
})

test('rows of the same short key are neighbours, whatever else is in them', () => {
  const rows = rowsOf(
    ['l:x', 'A'],
    ['l:xq', 'B'],
    ['l:x', null],
    ['l:x', 'long enough'],
    ['l:', 'C'],
  )
  const order = [...rows.read().order()].map((at) => rows.read().key(at))
  expect(order).toEqual(['l:', 'l:x', 'l:x', 'l:x', 'l:xq'])
})
