import { expect, test } from 'vitest'
import { Fingerprints } from './fingerprints.ts'

test('among a hundred thousand texts each is new once', () => {
  const prints = new Fingerprints()
  const texts = Array.from({ length: 100_000 }, (_, at) => `person${at}@example.com`)
  expect(texts.filter((text) => !prints.add(text))).toEqual([])
  expect(texts.filter((text) => prints.add(text))).toEqual([])
  expect(prints.add('')).toBe(true)
  expect(prints.add('')).toBe(false)
})
