import { expect, test } from 'vitest'
import { firstPages, locate, type Pages, totalOf, withPage } from '../src/lib/known-pages.ts'
import {
  allSelected,
  countSelected,
  isSelected,
  nothingSelected,
  select,
} from '../src/lib/selection.ts'

const id = (n: number) => String(n).padStart(4, '0')
const rows = (...numbers: number[]) => numbers.map((n) => ({ id: id(n) }))

/** A page that begins at a number and goes down. */
const page = (from: number, length: number, hasMore = true) => ({
  items: rows(...Array.from({ length }, (_, at) => from - at)),
  ...(hasMore ? { next_starting_after: id(from - length + 1) } : {}),
})

const read = (...pages: ReturnType<typeof page>[]): Pages =>
  pages.reduce((known, each, index) => withPage(known, index, each), firstPages)

test('each row is found in its page, to the last one', () => {
  const pages = read(page(100, 10), page(90, 10), page(80, 5, false))
  expect(totalOf(pages)).toBe(25)
  expect(locate(pages, 12)).toEqual({ page: 1, offset: 2 })
  expect(pages.at(-1)?.size).toBe(5)
  // Reading the same again changes nothing, so nothing is drawn again.
  expect(withPage(pages, 1, page(90, 10))).toBe(pages)
})

test('new rows at the top move no other page, and leave no gap', () => {
  const before = read(page(100, 10), page(90, 10, false))
  // 103 to 94, and the next begins after 91: 93, 92 and 91 are between.
  const found = withPage(before, 0, page(103, 10))
  expect(found.map(({ after }) => after)).toEqual([undefined, id(94), id(91)])
  const whole = withPage(found, 1, page(93, 10))
  expect(whole[1]?.size).toBe(3)
  expect(totalOf(whole)).toBe(23)
})

test('rows that go leave the others in their place', () => {
  const before = read(page(100, 10), page(90, 10, false))
  const items = rows(100, 99, 97, 96, 95, 94, 93, 92, 91, 90)
  const after = withPage(before, 0, { items, next_starting_after: id(90) })
  expect(after[0]?.size).toBe(9)
  expect(totalOf(after)).toBe(19)
  expect(locate(after, 9)).toEqual({ page: 1, offset: 0 })
})

test('everything that matches can be chosen but for some, without naming it', () => {
  const some = select(nothingSelected, ['a', 'b'], true)
  expect(isSelected(some, 'a')).toBe(true)
  expect(countSelected(select(some, ['a'], false), 100)).toBe(1)
  const allButOne = select(allSelected, ['a'], false)
  expect(isSelected(allButOne, 'a')).toBe(false)
  expect(isSelected(allButOne, 'never seen')).toBe(true)
  expect(countSelected(allButOne, 100)).toBe(99)
  expect(countSelected(select(allButOne, ['a'], true), undefined)).toBeUndefined()
})
