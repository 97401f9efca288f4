import type { Redis } from 'ioredis'
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'

const windowSeconds = 10
/** Redis answers within a millisecond or two, and every request waits for it. */
const answerMs = 500

/** Counts requests in windows of 10 s. Shared over processes with Redis, else per process. */
export interface RateLimit {
  /**
   * Counts one request.
   * @param window what it is called in the headers, and what is counted in it
   * @returns the headers that tell what is left
   * @throws AppError `rate_limited`
   */
  consume: (
    key: string,
    requestsMax: number,
    window?: { name?: string; counted?: string },
  ) => Promise<Record<string, string>>
  /** Counts one try in a window of its own length. */
  count: (key: string, windowS: number) => Promise<{ tries: number; secondsLeft: number }>
  /** Takes back what was counted last. */
  uncount: (key: string) => Promise<void>
  close: () => void
}

export async function createRateLimit(redisUrl: string | undefined, log: Log): Promise<RateLimit> {
  const memory = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration: windowSeconds })
  const redis = redisUrl ? await connectRedis(redisUrl, log) : undefined
  const limiter = redis
    ? new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: 'outrider:rate',
        points: Number.MAX_SAFE_INTEGER,
        duration: windowSeconds,
        // Redis down: each process counts for itself rather than refusing everybody.
        insuranceLimiter: memory,
        rejectIfRedisNotReady: true,
      })
    : memory
  return {
    async consume(key, requestsMax, { name = 'default', counted = 'requests' } = {}) {
      const { consumedPoints, msBeforeNext } = await limiter.consume(key)
      if (requestsMax === 0) return {}
      const seconds = String(Math.max(1, Math.ceil(msBeforeNext / 1000)))
      const headers = {
        'ratelimit-policy': `"${name}";q=${requestsMax};w=${windowSeconds}`,
        ratelimit: `"${name}";r=${Math.max(0, requestsMax - consumedPoints)};t=${seconds}`,
      }
      if (consumedPoints <= requestsMax) return headers
      throw new AppError(
        'rate_limited',
        `More than ${requestsMax} ${counted} in ${windowSeconds} s; wait ${seconds} s and go on.`,
        { headers: { ...headers, 'retry-after': seconds } },
      )
    },
    async count(key, windowS) {
      const options = { customDuration: windowS }
      const { consumedPoints, msBeforeNext } = await limiter.consume(key, 1, options)
      return { tries: consumedPoints, secondsLeft: Math.max(1, Math.ceil(msBeforeNext / 1000)) }
    },
    async uncount(key) {
      // What is gone by now would begin a window with one try too many.
      if (await limiter.get(key)) await limiter.reward(key)
    },
    close: () => redis?.disconnect(),
  }
}

async function connectRedis(url: string, log: Log): Promise<Redis> {
  // Most do without: a start takes less.
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    ...{ enableOfflineQueue: false, maxRetriesPerRequest: 1 },
    // One that says nothing would be waited for without end: its requests are counted here, and its
    // connection ends, so that the next requests do not wait at all.
    ...{ commandTimeout: answerMs, socketTimeout: answerMs },
  })
  const host = hostOf(redis)
  let cause: unknown
  let isAway = false
  redis.on('ready', () => {
    isAway = false
    log.info({ host }, 'rate limit: Redis is connected')
  })
  redis.on('error', (error) => {
    cause = causeOf(error)
  })
  redis.on('close', () => {
    // It is tried again every two seconds.
    if (!isAway)
      log.warn({ host, cause }, 'rate limit: Redis is gone, each process counts for itself')
    isAway = true
    cause = undefined
  })
  return redis
}

const hostOf = ({ options: { host, port, path } }: Redis) => path ?? `${host}:${port}`

/** Of what Redis answers the first word says what it is, as NOAUTH. */
const causeOf = ({ code, message }: NodeJS.ErrnoException) =>
  code ?? /^[A-Z]+(?= )/.exec(message)?.[0]

/** Where it is, and why it cannot be used; undefined: it can. */
interface RedisVerdict {
  host: string
  trouble: string | undefined
}

export async function examineRedis(url: string): Promise<RedisVerdict> {
  const { Redis } = await import('ioredis')
  const redis = new Redis(url, {
    ...{ lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 },
    ...{ connectTimeout: 4 * answerMs, commandTimeout: 4 * answerMs },
  })
  const host = hostOf(redis)
  let cause: string | undefined
  redis.on('error', (error) => {
    cause ??= causeOf(error)
  })
  try {
    await redis.connect()
    await redis.ping()
    return { host, trouble: undefined }
  } catch (error) {
    cause ??= causeOf(error as Error)
    return { host, trouble: cause ?? 'it does not answer' }
  } finally {
    redis.disconnect()
  }
}
