import { expect, test } from 'vitest'
import { Rows } from './rows.ts'

function rowsOf(...fields: (string | null)[][]): Rows {
  const rows = new Rows()
  for (const row of fields) {
    for (const field of row) rows.fields.text(field)
    rows.end()
  }
  return rows
}

test('rows are read back as they were written', () => {
  const rows = rowsOf(['e:ada@example.com', null, ''], ['l:in/雪', 'Zoë', null])
  expect(rows.key(1)).toBe('l:in/雪')
  expect(rows.texts(0)).toEqual(['e:ada@example.com', null, ''])
  expect(rows.texts(1)).toEqual(['l:in/雪', 'Zoë', null])
})

test('they are ordered by their keys, equal ones as they came', () => {
  const keys = ['e:b@example.com', 'e:a@example.com', 'e:b@example.co', 'e:a@example.com', 'e:a']
  const rows = rowsOf(...keys.map((key) => [key]))
  expect([...rows.order()].map((at) => keys[at])).toEqual(keys.toSorted())
  expect([...rows.order()].filter((at) => keys[at] === 'e:a@example.com')).toEqual([1, 3])
})

test('rows of the same short key are neighbours, whatever else is in them', () => {
  const rows = rowsOf(
    ['l:x', 'A'],
    ['l:xq', 'B'],
    ['l:x', null],
    ['l:x', 'long enough'],
    ['l:', 'C'],
  )
  const order = [...rows.order()].map((at) => rows.key(at))
  expect(order).toEqual(['l:', 'l:x', 'l:x', 'l:x', 'l:xq'])
})
