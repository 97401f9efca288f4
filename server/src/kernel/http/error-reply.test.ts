import { expect, test } from 'vitest'
import { AppError, applicationStatusOf, type ErrorCode, statusOf } from '../errors.ts'
import { errorReply } from './error-reply.ts'

const statuses = Object.entries({ ...statusOf, ...applicationStatusOf }) as [ErrorCode, number][]

test.each(statuses)('%s is a %i, with details where the contract promises them', (code, status) => {
  const { statusCode, body } = errorReply(new AppError(code, 'Do it otherwise.'), 'request 1')
  expect([statusCode, body.statusCode, body.code]).toEqual([status, status, code])
  const whole = [{ path: '', message: 'Do it otherwise.' }]
  expect(body.details).toEqual([400, 409].includes(status) ? whole : undefined)

  const details = [{ path: '/name', message: 'name must not be empty' }]
  const told = errorReply(new AppError(code, 'Do it otherwise.', { details }), 'request 1')
  expect(told.body.details).toEqual(details)
})
