const named = {
  409: ['Conflict', 'not_eligible'],
  429: ['Too Many Requests', 'rate_limited'],
  503: ['Service Unavailable', 'unavailable'],
} as const

/** An error of the API, as `route.fulfill` takes it. */
export function refusal(status: keyof typeof named, message: string) {
  const [error, code] = named[status]
  return { status, json: { statusCode: status, error, code, message, request_id: 'req-1' } }
}
