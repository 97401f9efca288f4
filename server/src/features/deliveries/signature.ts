import { createHmac } from 'node:crypto'

/**
 * Standard Webhooks 1.0: `v1,<base64 HMAC-SHA256 of id.timestamp.body>`, one per secret, so that a
 * receiver may hold either secret while it is rotated.
 */
export function signatureHeaders(
  eventId: string,
  at: Date,
  body: string,
  secrets: Buffer[],
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const content = `${eventId}.${timestamp}.${body}`
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(content).digest('base64')}`,
  )
  return {
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
