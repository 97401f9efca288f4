/** The closed set of machine-readable codes (contract §1), and those of the application. */
export type ErrorCode = keyof typeof statusOf | keyof typeof applicationStatusOf

export interface ErrorDetail {
  /** JSON pointer into the body, or the parameter's name. */
  path: string
  message: string
}

/** An expected failure. `code` is API contract, `message` is safe to show, `cause` stays in the logs. */
export class AppError extends Error {
  override name = 'AppError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: ErrorDetail[] | undefined
  readonly headers: Record<string, string>

  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: ErrorDetail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.code = code
    this.status = allStatusOf[code]
    this.details = more.details
    // Whoever knows how long it takes says so.
    this.headers = passes.has(code) ? { 'retry-after': '1', ...more.headers } : (more.headers ?? {})
  }
}

export const notFound = (what: string) =>
  new AppError('not_found', `No such ${what} in this workspace; check the id.`)

/** What a driver, Node or an AppError calls the failure; empty where it has no name. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}

/** Such as of a mailbox that was removed while somebody worked in it. */
export const isNotFound = (error: unknown) =>
  error instanceof AppError && error.code === 'not_found'

export const invalidField = (path: string, message: string) =>
  new AppError('invalid_field', message, { details: [{ path, message }] })

/** Several problems at once: the first one is the message, which says so where not all are told. */
export function invalidFields(
  problems: ErrorDetail[],
  code: 'invalid_field' | 'unknown_field' = 'invalid_field',
) {
  const message = problems[0]?.message ?? 'The body is not valid.'
  const more =
    problems.length > detailsMax ? `; more is wrong than these ${detailsMax} details` : ''
  return new AppError(code, message + more, { details: problems.slice(0, detailsMax) })
}

/** In one answer. */
export const detailsMax = 100

export const statusOf = {
  invalid_json: 400,
  invalid_field: 400,
  unknown_field: 400,
  invalid_cursor: 400,
  invalid_limit: 400,
  body_too_large: 400,
  unsupported_media_type: 400,
  malformed_request: 400,
  no_valid_leads: 400,
  target_not_allowed: 400,
  missing_key: 401,
  invalid_key: 401,
  revoked_key: 401,
  expired_key: 401,
  missing_scope: 403,
  scope_escalation: 403,
  workspace_mismatch: 403,
  plan_required: 403,
  entitlement_required: 403,
  not_found: 404,
  unknown_path: 404,
  invalid_transition: 409,
  not_ready: 409,
  not_eligible: 409,
  idempotency_key_in_progress: 409,
  idempotency_key_reused: 409,
  rate_limited: 429,
  insufficient_credits: 429,
  quota_exceeded: 429,
  internal_error: 500,
  unavailable: 503,
} as const

/** Codes that only the routes of the browser application answer. */
export const applicationStatusOf = {
  not_signed_in: 401,
  wrong_credentials: 401,
  cross_site: 403,
  role_required: 403,
  already_set_up: 409,
  consent_failed: 409,
  version_conflict: 409,
} as const

/** What waiting mends, so that every answer says for how long (contract §1). */
const passes = new Set<ErrorCode>(['rate_limited', 'idempotency_key_in_progress', 'unavailable'])

const allStatusOf: Record<ErrorCode, number> = { ...statusOf, ...applicationStatusOf }
