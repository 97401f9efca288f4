import { sha256 } from '../../kernel/crypto.ts'
import { AppError } from '../../kernel/errors.ts'
import type { RateLimit } from '../../kernel/http/rate-limit.ts'
import { parseAddress } from '../../kernel/outbound/index.ts'

export type Attempts = Pick<RateLimit, 'count' | 'uncount'>

/** Failures that are allowed in a window; the second window makes whoever goes on wait longer. */
const windows = {
  address: [
    { seconds: 60, most: 10 },
    { seconds: 3600, most: 100 },
  ],
  account: [
    { seconds: 60, most: 5 },
    { seconds: 3600, most: 30 },
  ],
}

/**
 * Lets somebody try who has not failed too often, from this address or for this account. A try counts
 * while it is under way, so that many at once are no way around; one that succeeds is taken back.
 *
 * @param who.account what is guessed at: an e-mail address, or a constant; counted by its hash, because
 *   a shared counter is kept outside of the database
 */
export async function attempt<T>(
  attempts: Attempts,
  who: { address: string; account: string },
  work: () => Promise<T>,
): Promise<T> {
  const counted: string[] = []
  const counting = { ...who, address: networkOf(who.address) }
  for (const kind of ['address', 'account'] as const) {
    for (const { seconds, most } of windows[kind]) {
      const key = `sign-in:${kind}:${seconds}:${sha256(counting[kind]).toString('base64url')}`
      const { tries, secondsLeft } = await attempts.count(key, seconds)
      if (tries > most) throw tooMany(secondsLeft)
      counted.push(key)
    }
  }
  const result = await work()
  for (const key of counted) await attempts.uncount(key)
  return result
}

/** Whoever has an address of IPv6 has all that begin with the same 64 bits. */
function networkOf(address: string): string {
  const octets = parseAddress(address)
  return octets?.length === 16 ? octets.slice(0, 8).join('.') : address
}

const tooMany = (seconds: number) =>
  new AppError('rate_limited', `Too many attempts; wait ${seconds} s and try again.`, {
    headers: { 'retry-after': String(seconds) },
  })
