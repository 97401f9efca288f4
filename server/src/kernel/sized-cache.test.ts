import { expect, test } from 'vitest'
import { SizedCache } from './sized-cache.ts'

test('a cache never holds more than its bytes, and what was asked for last stays', () => {
  const cache = new SizedCache<string>(100)
  cache.set('a', 'a', 40)
  cache.set('b', 'b', 40)
  expect(cache.get('a')).toBe('a')
  cache.set('c', 'c', 40)
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual(['a', undefined, 'c'])
  cache.set('c', 'larger', 60)
  expect(cache.bytes).toBe(100)
  cache.set('d', 'too large', 101)
  expect(cache.get('d')).toBeUndefined()
  cache.delete('a')
  expect(cache.bytes).toBe(60)
})
