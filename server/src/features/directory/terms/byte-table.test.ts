import { expect, test } from 'vitest'
import { ByteTable } from './byte-table.ts'

const tableOf = (texts: string[]) => {
  const table = new ByteTable()
  const numbers = texts.map((text) => table.numberOfText(text))
  return { table, numbers }
}

test('what was there before has the number it had, and what is new the next one', () => {
  const texts = Array.from({ length: 5000 }, (_, at) => `word-${at % 2500}`)
  const { numbers } = tableOf([...texts, 'Zoë', '', '雪', 'Zoë'])
  expect(numbers.slice(0, 5000)).toEqual(texts.map((_, at) => at % 2500))
  expect(numbers.slice(5000)).toEqual([2500, 2501, 2502, 2500])
})

test('numbers are ordered by their bytes, also where the beginnings are alike', () => {
  const alike = Array.from({ length: 300 }, (_, at) => `nkarin${(at * 7919) % 300}`)
  const texts = [...alike, 'nkari', 'nkar', 'nkarin', 'n', '', 'zz', 'nkar\u0000', 'é', '雪', 'a']
  const { table, numbers } = tableOf(texts)
  const inBytes = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const sorted = [...table.sorted(Uint32Array.from(numbers))]
  expect(sorted.map((number) => texts[number])).toEqual(inBytes)
  const some = numbers.filter((number) => number % 3 === 0)
  expect([...table.sorted(Uint32Array.from(some))]).toEqual(
    sorted.filter((number) => number % 3 === 0),
  )
})
