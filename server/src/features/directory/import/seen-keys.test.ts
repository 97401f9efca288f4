import { expect, test } from 'vitest'
import { ByteText } from './byte-text.ts'
import { SeenKeys } from './seen-keys.ts'

test('a key that comes again is told, and of many alike none is taken for another', () => {
  const seen = new SeenKeys()
  const keys = Array.from({ length: 100_000 }, (_, at) =>
    ByteText.of(`e:p${at}.${at % 7}@a.example`),
  )
  expect(keys.filter((key) => seen.add(key))).toEqual([])
  expect(keys.every((key) => seen.add(key))).toBe(true)
})
