import { AppError, type ErrorCode } from '../../kernel/errors.ts'

/** Of a key that was sent (RFC 6750 §3). */
export const refusal = (code: ErrorCode, message: string) =>
  new AppError(code, message, { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })

export const revokedKey = () =>
  refusal('revoked_key', 'The key was revoked; create a new one and replace it.')
