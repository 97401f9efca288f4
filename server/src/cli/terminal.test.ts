import { expect, test } from 'vitest'
import { formatRecord, formatTable } from './terminal.ts'

test('what comes from the database neither moves the cursor nor turns the direction', () => {
  const name = 'a\u001b[2Jb\u202ec\u2066d'
  const shown = 'a�[2Jb�c�d'
  expect(formatTable(['name'], [[name]])).toBe(`NAME\n${shown}`)
  expect(formatRecord({ name })).toBe(`name  ${shown}`)
})

test('a cell that is very long leaves the other lines of its table as they are', () => {
  const long = 'x'.repeat(81)
  expect(
    formatTable(
      ['a', 'b'],
      [
        ['1', '2'],
        [long, '3'],
      ],
    ),
  ).toBe(`A  B\n1  2\n${long}  3`)
})

test('a table has as many lines as there are', () => {
  const rows = Array.from({ length: 200_000 }, (_, i) => [i])
  expect(formatTable(['n'], rows).split('\n')).toHaveLength(200_001)
})
