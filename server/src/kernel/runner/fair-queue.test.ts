import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.ts'

const drain = (queue: FairQueue<string>) => {
  const taken: string[] = []
  for (let item = queue.take(); item !== undefined; item = queue.take()) taken.push(item)
  return taken
}

test('a workspace with many items does not hold up one with few', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'a2', 'a3', 'a4']) queue.add('a', item)
  queue.add('b', 'b1')
  queue.add('c', 'c1')
  expect(drain(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'a3', 'a4'])
})

test('an item stands in it once, and not at all after it was deleted', () => {
  const queue = new FairQueue<string>()
  queue.add('a', 'a1')
  queue.add('a', 'a1')
  queue.add('a', 'a2')
  queue.delete('a', 'a2')
  queue.delete('b', 'nothing')
  expect(queue.size).toBe(1)
  expect(drain(queue)).toEqual(['a1'])
  expect(queue.size).toBe(0)
})

test('a workspace that may take nothing now keeps its place and holds up nobody', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'a2']) queue.add('a', item)
  queue.add('b', 'b1')
  expect(queue.take((workspaceId) => workspaceId !== 'a')).toBe('b1')
  expect(queue.take((workspaceId) => workspaceId !== 'a')).toBeUndefined()
  expect(drain(queue)).toEqual(['a1', 'a2'])
})
