import { STATUS_CODES } from 'node:http'
import { AppError, type ErrorCode, statusOf } from '../../server/src/kernel/errors.ts'
import { errorReply } from '../../server/src/kernel/http/error-reply.ts'
import type { Response } from './document.ts'
import { headerRefs } from './headers.ts'

/** `BadRequest` of 400. */
export const errorResponseName = (status: number) =>
  (STATUS_CODES[status] ?? 'Error').replaceAll(/\W/g, '')

/** Which codes there are, each with its status. */
export type Codes = Partial<Record<ErrorCode, number>>

/** One response for each status of the closed set, with an example of each of its codes. */
export function errorResponses(codes: Codes): Record<string, Response> {
  const statuses = [...new Set(Object.values(statusOf))]
  return Object.fromEntries(
    statuses.map((status) => [errorResponseName(status), errorResponse(status, codes)]),
  )
}

function errorResponse(status: number, statuses: Codes): Response {
  const codes = (Object.keys(statuses) as ErrorCode[]).filter((code) => statuses[code] === status)
  // Browsers would answer a challenge with a window of their own.
  const isSession = status === 401 && codes.includes('not_signed_in')
  const meaning = isSession
    ? 'Nobody is signed in, or what was entered is not right.'
    : meanings[status]
  return {
    description: `${meaning} ${codes.map((code) => `\`${code}\``).join(', ')}.`,
    headers: headerRefs(isSession ? [] : (headersOf[status] ?? [])),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: example(code) }])),
      },
    },
  }
}

function example(code: ErrorCode) {
  const message = messages[code]
  const path = pathOf[code]
  const error = new AppError(code, message, path ? { details: [{ path, message }] } : {})
  return errorReply(error, '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d').body
}

const meanings: Record<number, string> = {
  400: 'The request is not valid; `details` names each problem.',
  401: 'The key is missing, not valid, expired or revoked.',
  403: 'The scope, the workspace or the plan does not permit it.',
  404: 'No such record in this workspace, or no such path.',
  409: 'The state of the record, or a request with the same Idempotency-Key, forbids it.',
  429: 'A rate or usage limit; `Retry-After` tells when to go on where waiting helps.',
  500: 'A fault on our side; safe to repeat with an Idempotency-Key.',
  503: 'Not available just now; `Retry-After` tells when to go on.',
}

const rate = ['RateLimit', 'RateLimit-Policy']

/** Beside X-Request-Id, which every response has. */
const headersOf: Record<number, string[]> = {
  400: rate,
  401: ['WWW-Authenticate'],
  404: [...rate, 'Allow'],
  409: [...rate, 'Retry-After'],
  429: [...rate, 'Retry-After'],
  503: ['Retry-After'],
}

/** As they read in practice. */
const messages: Record<ErrorCode, string> = {
  invalid_json: 'Not valid JSON: a comma or } expected at line 1, column 18.',
  invalid_field: 'name must not be empty',
  unknown_field: 'nmae is not a known field; accepted are name, scopes, timestamp_expires',
  invalid_cursor: 'starting_after must be the next_starting_after of the previous page.',
  invalid_limit: 'limit must be a whole number from 1 to 100.',
  body_too_large: 'The body is larger than 1 MiB, the most that is read.',
  unsupported_media_type: 'Send the body as application/json in UTF-8.',
  malformed_request: 'Send the header authorization once.',
  no_valid_leads: 'None of the rows has a valid e-mail address.',
  target_not_allowed: 'target_hook_url leads to an address that deliveries must not reach.',
  missing_key: 'Send the key as "Authorization: Bearer <key>".',
  invalid_key: 'The key is not valid; check for a typo.',
  revoked_key: 'The key was revoked; create a new one and replace it.',
  expired_key: 'The key has expired; create a new one and replace it.',
  missing_scope: 'This needs the scope webhooks:read; the key holds leads:all.',
  scope_escalation: 'A key can grant only scopes it holds itself; it lacks leads:update.',
  workspace_mismatch:
    "X-Workspace-ID names another workspace than the key's; leave the header out.",
  plan_required: "The workspace's plan does not include webhooks; ask the operator to enable it.",
  entitlement_required:
    "The workspace's plan does not include acquisition; ask the operator to enable it.",
  not_found: 'No such webhook in this workspace; check the id.',
  unknown_path: 'No such path; check the version and spelling against /openapi.json.',
  invalid_transition: 'The status cannot change from draft to paused.',
  not_ready: 'The campaign cannot be activated yet: it has no step.',
  not_eligible: 'This contact has no e-mail address to reveal.',
  idempotency_key_in_progress:
    'The first request with this Idempotency-Key is still running; ask again shortly.',
  idempotency_key_reused: 'This Idempotency-Key was used for another request; take a new key.',
  rate_limited: 'More than 10000 requests in 10 s; wait 3 s and go on.',
  insufficient_credits: 'No credits are left; ask the operator for more.',
  quota_exceeded: 'The workspace holds as many webhooks as its plan allows.',
  internal_error: 'Something went wrong on our side; try again.',
  unavailable: 'The database is not reachable; try again shortly.',
  not_signed_in: 'You are not signed in; sign in and try again.',
  wrong_credentials: 'The address or the password is not right.',
  cross_site: 'This comes from another site; use the application itself.',
  role_required: 'This needs the role admin, and yours is viewer; ask an admin of the workspace.',
  already_set_up: 'Somebody has set up this installation; ask them to invite you.',
  consent_failed: 'The consent was declined at Google. Begin again and allow what is asked for.',
  version_conflict:
    'Somebody else changed this campaign meanwhile; read it again and put the changes together.',
}

/** What the example's `details` point at, where that is not the whole request. */
const pathOf: Partial<Record<ErrorCode, string>> = {
  invalid_field: '/name',
  unknown_field: '/nmae',
  no_valid_leads: '/leads/0/email',
  target_not_allowed: '/target_hook_url',
  not_ready: '/sequences',
}
