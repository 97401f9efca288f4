import { expect, test } from 'vitest'
import { FairSemaphore } from './fair-semaphore.ts'

test('servers that hang while they are read hold the turns of their own workspace only', async () => {
  const semaphore = new FairSemaphore(4, 3)
  const hanging = Promise.withResolvers<void>()
  let begun = 0
  const hang = () => {
    begun += 1
    return hanging.promise
  }
  const all = Array.from({ length: 10 }, () => semaphore.run('a', hang))
  for (let i = 0; i < 5; i++) expect(await semaphore.run('b', async () => i)).toBe(i)
  expect(begun).toBe(3)
  hanging.resolve()
  await Promise.all(all)
  expect(begun).toBe(10)
})

test('who fails gives the turn back', async () => {
  const semaphore = new FairSemaphore(1)
  const failed = semaphore.run('a', () => Promise.reject(new Error('closed')))
  await expect(failed).rejects.toThrow('closed')
  expect(await semaphore.run('a', async () => 'read')).toBe('read')
})
