import { createHmac, timingSafeEqual } from 'node:crypto'

/** Why what arrived is not what one of our destinations has signed. */
export type Problem = 'no_destination' | 'no_signature' | 'too_old' | 'wrong_signature'

const toleranceMs = 300_000

/** As a receiver does it (Standard Webhooks 1.0), with the secrets of one destination. */
export function verify(
  headers: Record<string, string>,
  body: Buffer,
  secrets: Buffer[],
  now: Date,
): Problem | undefined {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': given } = headers
  if (!id || !timestamp || !given) return 'no_signature'
  const ageMs = Math.abs(now.getTime() - Number(timestamp) * 1000)
  if (!(ageMs <= toleranceMs)) return 'too_old'
  const expected = secrets.map((secret) =>
    createHmac('sha256', secret).update(`${id}.${timestamp}.`).update(body).digest(),
  )
  const signatures = given
    .split(' ')
    .filter((each) => each.startsWith('v1,'))
    .map((each) => Buffer.from(each.slice(3), 'base64'))
  const isKnown = signatures.some((signature) =>
    expected.some((each) => each.length === signature.length && timingSafeEqual(each, signature)),
  )
  return isKnown ? undefined : 'wrong_signature'
}
