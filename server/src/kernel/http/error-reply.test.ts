import { expect, test } from 'vitest'
import { AppError, applicationStatusOf, type ErrorCode, statusOf } from '../errors.ts'
import { errorReply } from './error-reply.ts'

const statuses = Object.entries({ ...statusOf, ...applicationStatusOf }) as [ErrorCode, number][]

test('whatever passes by waiting says when to ask again, and nothing else does', () => {
  for (const [code] of statuses) {
    const passes = ['rate_limited', 'idempotency_key_in_progress', 'unavailable'].includes(code)
    const { headers } = errorReply(new AppError(code, 'Wait.'), 'request 1')
    expect(headers, code).toEqual(passes ? { 'retry-after': '1' } : {})
  }
  const known = new AppError('rate_limited', 'Wait.', { headers: { 'retry-after': '60' } })
  expect(errorReply(known, 'request 1').headers).toEqual({ 'retry-after': '60' })
})

test.each(statuses)('%s is a %i, with details where the contract promises them', (code, status) => {
  const { statusCode, body } = errorReply(new AppError(code, 'Do it otherwise.'), 'request 1')
  expect([statusCode, body.statusCode, body.code]).toEqual([status, status, code])
  const whole = [{ path: '', message: 'Do it otherwise.' }]
  expect(body.details).toEqual([400, 409].includes(status) ? whole : undefined)

  const details = [{ path: '/name', message: 'name must not be empty' }]
  const told = errorReply(new AppError(code, 'Do it otherwise.', { details }), 'request 1')
  expect(told.body.details).toEqual(details)
})
