import { Webhook } from 'standardwebhooks'
import { vi } from 'vitest'

interface Signed {
  body: Buffer
  headers: object
}

/** What a receiver does whose clock shows this time; the library would ask the machine's. */
export function verifySignature(secret: string, { body, headers }: Signed, now: Date): unknown {
  vi.setSystemTime(now)
  try {
    return new Webhook(secret).verify(body, headers as Record<string, string>)
  } finally {
    vi.useRealTimers()
  }
}
