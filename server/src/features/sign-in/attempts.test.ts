import { expect, test } from 'vitest'
import { AppError } from '../../kernel/errors.ts'
import { createRateLimit } from '../../kernel/http/rate-limit.ts'
import { createLog } from '../../kernel/log.ts'
import { attempt } from './attempts.ts'

test('from however many addresses, nobody guesses at an account more than 300 times an hour', async () => {
  const attempts = await createRateLimit(undefined, createLog('silent'))
  const refuse = () => Promise.reject(new AppError('wrong_credentials', 'Wrong.'))
  const guess = (n: number, email: string) => {
    const who = { address: `10.1.${n >> 8}.${n & 255}`, account: `email ${email}` } as const
    return attempt(attempts, who, refuse).catch((error: AppError) => error.code)
  }
  const guesses = Array.from({ length: 301 }, (_, n) => n)
  const answers = []
  for (const n of guesses) answers.push(await guess(n, 'ada@example.com'))
  expect(answers.slice(0, 300)).toEqual(guesses.slice(1).map(() => 'wrong_credentials'))
  expect(answers[300]).toBe('rate_limited')
  expect(await guess(301, 'bob@example.com')).toBe('wrong_credentials')
})
