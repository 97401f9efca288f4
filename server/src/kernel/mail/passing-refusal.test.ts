import { expect, test } from 'vitest'
import { isPassingRefusal, MailFailure } from './index.ts'

const refused = (response: string) =>
  new MailFailure('login', 'refused', {
    response,
    code: /^\d{3} /.test(response) ? Number(response.slice(0, 3)) : null,
  })

test.each([
  '[UNAVAILABLE] Maximum number of connections from user+IP exceeded (mail_max_userip_connections=10)',
  '[LIMIT] Maximum number of connections from user+IP exceeded',
  'Maximum number of connections from user+IP exceeded',
  '[ALERT] Too many simultaneous connections. (Failure)',
  '[OVERQUOTA] Account exceeded command or bandwidth limits. (Failure)',
  '[LIMIT] LOGIN Rate limit hit.',
  '[INUSE] Mailbox is locked',
  '[SERVERBUG] Internal error occurred',
  'User is authenticated but not connected.',
  'Request is throttled. Suggested Backoff Time: 92415 milliseconds',
  '421 4.7.0 Too many connections',
  '454 4.7.0 Temporary authentication failure',
  '454 4.7.0 Not now',
  '535 5.7.0 (#AUTH005) Too many bad auth attempts.',
  '550 5.7.0 Connection limit of this user reached',
  '535 5.7.8 Error: authentication failed: service unavailable, try again later',
])('a login that is refused with “%s” says nothing of the password', (response) => {
  expect(isPassingRefusal(refused(response))).toBe(true)
})

test.each([
  '[AUTHENTICATIONFAILED] Invalid credentials (Failure)',
  '[AUTHENTICATIONFAILED] Authentication failed. Check your password and try again.',
  '[ALERT] Application-specific password required',
  'LOGIN failed.',
  '535 5.7.8 Username and Password not accepted.',
  '535 5.7.3 Authentication unsuccessful',
])('a login that is refused with “%s” does not mend itself', (response) => {
  expect(isPassingRefusal(refused(response))).toBe(false)
})
