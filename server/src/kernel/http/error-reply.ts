import { STATUS_CODES } from 'node:http'
import type { FastifyError } from 'fastify'
import { explainUnavailable } from '../db/failure.ts'
import { AppError, type ErrorCode } from '../errors.ts'

export interface ErrorReply {
  statusCode: number
  headers: Record<string, string>
  body: Record<string, unknown>
}

/** Every error body of the service is made here (contract §1). */
export function errorReply(error: AppError, requestId: string): ErrorReply {
  const { message } = error
  // These always have details; what concerns no field concerns the whole of the request.
  const details =
    error.details ?? (detailed.has(error.status) ? [{ path: '', message }] : undefined)
  return {
    statusCode: error.status,
    headers: error.headers,
    body: {
      statusCode: error.status,
      error: STATUS_CODES[error.status] ?? 'Error',
      message,
      code: error.code,
      request_id: requestId,
      ...(details ? { details } : {}),
    },
  }
}

/** Headers of every answer, also of one without an error. */
export const commonHeaders = (requestId: string) => ({
  'x-request-id': requestId,
  'cache-control': 'no-store',
})

const detailed = new Set([400, 409])

/**
 * What Fastify, Node's parser and the driver throw, in our own terms; anything else is a 500.
 *
 * @param bodyLimit bytes that the route accepts, where there is a route
 */
export function toAppError(error: unknown, bodyLimit?: number): AppError {
  if (error instanceof AppError) return error
  const { code = '', statusCode = 500 } = error as Partial<FastifyError>
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' && bodyLimit !== undefined) {
    const limit = `${bodyLimit / 1024 / 1024} MiB`
    return new AppError(
      'body_too_large',
      `The body is larger than ${limit}, the most that is read.`,
    )
  }
  const known = frameworkErrors[code]
  if (known) return new AppError(known[0], known[1])
  const unavailable = explainUnavailable(error)
  if (unavailable) {
    return new AppError('unavailable', unavailable.message, {
      headers: { 'retry-after': String(unavailable.retryAfterS) },
      cause: error,
    })
  }
  if (statusCode >= 400 && statusCode < 500) {
    return new AppError('malformed_request', 'The request could not be read; check its syntax.')
  }
  return new AppError('internal_error', 'Something went wrong on our side; try again.', {
    cause: error,
  })
}

/** Whether a request that failed so may succeed later. */
export const isUnavailable = (error: unknown) => toAppError(error).code === 'unavailable'

const frameworkErrors: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['body_too_large', 'The body is larger than this endpoint accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send the body as application/json in UTF-8.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'malformed_request',
    'Content-Length does not match the size of the body.',
  ],
  HPE_HEADER_OVERFLOW: [
    'malformed_request',
    'The request headers are too large; 16 KiB is the most.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: [
    'malformed_request',
    'The request took more than 60 seconds to arrive.',
  ],
}
