import { expect, test } from 'vitest'
import { type Condition, evaluate, has, hasBeginning, rangesOf, uniteRanges } from './condition.ts'

const both: Condition = {
  any: [{ all: [has('ta'), has('tb')] }, { all: [has('tb'), has('tc')] }, hasBeginning('ta')],
}

test('a range that is asked for often is read once', () => {
  const condition = uniteRanges(both)
  expect(condition).toEqual(both)
  expect(rangesOf(condition)).toEqual([has('ta'), has('tb'), has('tc'), hasBeginning('ta')])
})

test('of a condition that a block cannot meet nothing is read but that', () => {
  const asked: string[] = []
  const met = evaluate(both, ({ first }) => {
    asked.push(first)
    return undefined
  })
  expect(met).toBeUndefined()
  expect(asked).toEqual(['ta', 'tb', 'ta'])
})
