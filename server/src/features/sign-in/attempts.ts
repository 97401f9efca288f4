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
  // Guessing from many addresses ends somewhere, too. Fewer, and anybody could shut the person out.
  accountFromAnywhere: [{ seconds: 3600, most: 300 }],
}

/**
 * What is guessed at. Its kind stands first: an e-mail address is whatever somebody types, and must not
 * spell the counter of somebody else.
 */
type Account = `${'email' | 'code' | 'profile'} ${string}`

export interface Trying {
  address: string
  /** Counted apart from passwords: while a provider is away everybody who comes back from it fails. */
  by?: 'provider'
  /**
   * Counted by its hash, because a shared counter is kept outside of the database. Undefined: by the
   * address alone.
   */
  account?: Account | undefined
}

/**
 * Lets somebody try who has not failed too often, from this address, or from it for this account: whoever
 * guesses elsewhere keeps the person out only when it is very many. A try counts while it is under way, so
 * that many at once are no way around; one that succeeds, or that we fail, is taken back.
 */
export async function attempt<T>(
  attempts: Attempts,
  { address, by, account }: Trying,
  work: () => Promise<T>,
): Promise<T> {
  const counted: string[] = []
  const network = networkOf(address)
  const counting = {
    address: by ? `${by} ${network}` : network,
    account: account && `${account} ${network}`,
    accountFromAnywhere: account,
  }
  // What one of them refuses does not count for those after it.
  for (const kind of ['address', 'account', 'accountFromAnywhere'] as const) {
    const name = counting[kind]
    if (name === undefined) continue
    for (const { seconds, most } of windows[kind]) {
      const key = `sign-in:${kind}:${seconds}:${sha256(name).toString('base64url')}`
      const { tries, secondsLeft } = await attempts.count(key, seconds)
      if (tries > most) throw tooMany(secondsLeft)
      counted.push(key)
    }
  }
  let isTheirs = false
  try {
    return await work()
  } catch (error) {
    isTheirs = error instanceof AppError && error.status < 500
    throw error
  } finally {
    if (!isTheirs) for (const key of counted) await attempts.uncount(key)
  }
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
