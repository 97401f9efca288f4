import { expect, test } from 'vitest'
import { isPassingRefusal, MailFailure } from './index.ts'

const refused = (response: string) =>
  new MailFailure('login', 'refused', {
    response,
    code: /^\d{3} /.test(response) ? Number(response.slice(0, 3)) : null,
    enhanced: /^\d{3} (\d\.\d+\.\d+)/.exec(response)?.[1] ?? null,
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
  '454 4.7.0 Temporary authentication failure: Connection lost to authentication server',
  '454 4.7.0 Not now',
  '421 4.7.0 Too many login attempts, please try again later.',
  '435 Unable to authenticate at present',
  '535 Authentication service is unavailable, try again later',
  '[UNAVAILABLE] Temporary authentication failure. [mail:2026-01-01 00:00:00]',
  '[LIMIT] AUTHENTICATE Rate limit hit.',
  '535 5.7.0 (#AUTH005) Too many bad auth attempts.',
  '550 5.7.0 Connection limit of this user reached',
])('a login that is refused with “%s” says nothing of the password', (response) => {
  expect(isPassingRefusal(refused(response))).toBe(true)
})

test.each([
  '[AUTHENTICATIONFAILED] Invalid credentials (Failure)',
  '[AUTHENTICATIONFAILED] Authentication failed. Check your password and try again.',
  '[ALERT] Application-specific password required',
  'LOGIN failed.',
  '[AUTHENTICATIONFAILED] Too many wrong passwords',
  'AUTHENTICATE failed.',
  '535 5.7.8 Username and Password not accepted.',
  '535 5.7.8 Error: authentication failed: (reason unavailable)',
  '535 5.7.8 Error: authentication failed: UGFzc3dvcmQ6',
  '535 5.7.8 Error: authentication failed: Invalid user or password!',
  '535 5.7.3 Authentication unsuccessful',
  '535 5.7.139 Authentication unsuccessful, the user credentials were incorrect.',
  '535 5.7.0 Incorrect username or password',
  '535 Incorrect authentication data',
  '535 Authentication credentials invalid',
])('a login that is refused with “%s” does not mend itself', (response) => {
  expect(isPassingRefusal(refused(response))).toBe(false)
})
