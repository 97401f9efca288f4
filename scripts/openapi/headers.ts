import type { Parameter, Reference } from './document.ts'

/** Headers of responses, by name. */
export const headers: Record<string, object> = {
  'X-Request-Id': {
    description: "Names this request: the caller's X-Request-Id when it sent one, else ours.",
    required: true,
    schema: { type: 'string', maxLength: 128 },
    example: '019a9d5e-7f2b-7c31-9d0a-5e1f6a2b3c4d',
  },
  RateLimit: {
    description:
      'What is left of the window (`r`) and in how many seconds it ends (`t`), as in ' +
      'draft-ietf-httpapi-ratelimit-headers. Absent when the workspace has no limit.',
    schema: { type: 'string' },
    example: '"default";r=9998;t=7',
  },
  'RateLimit-Policy': {
    description: 'Requests (`q`) that the workspace may make in a window of `w` seconds.',
    schema: { type: 'string' },
    example: '"default";q=10000;w=10',
  },
  'Retry-After': {
    description: 'Whole seconds to wait; present where waiting helps.',
    schema: { type: 'integer', minimum: 1 },
    example: 3,
  },
  'Idempotency-Replayed': {
    description: '`true` when this is the kept answer of an earlier request with the same key.',
    schema: { enum: ['true'], type: 'string' },
    example: 'true',
  },
  Allow: {
    description: 'The methods that this path does answer, on `unknown_path`.',
    schema: { type: 'string' },
    example: 'GET, POST',
  },
  'WWW-Authenticate': {
    description: 'The Bearer challenge of RFC 6750.',
    required: true,
    schema: { type: 'string' },
    example: 'Bearer error="invalid_token"',
  },
}

/** Of X-Request-Id and the headers named. */
export const headerRefs = (names: string[]): Record<string, Reference> =>
  Object.fromEntries(
    ['X-Request-Id', ...names].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  )

export const workspaceParameter: Parameter = {
  name: 'X-Workspace-ID',
  in: 'header',
  required: false,
  description: "Optional: a key has one workspace. Another workspace's id is refused with 403.",
  schema: { type: 'string', format: 'uuid' },
}

/** Which workspace a person means, who may be a member of several. */
export const chosenWorkspaceParameter: Parameter = {
  ...workspaceParameter,
  required: true,
  description: 'The workspace to work in, of which the person is a member.',
}

/** Quoted (a string of RFC 9651) or bare. */
const idempotencyKeyPattern = '^("([^"\\\\]|\\\\["\\\\])+"|[!#-~]([ -~]*[!-~])?)$'

export const idempotencyParameter: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to repeat for 24 h: the first 2xx answer is kept and replayed, with ' +
    'its secrets left out. Another request with the same key is a 409. Quoted or bare.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: idempotencyKeyPattern },
}
