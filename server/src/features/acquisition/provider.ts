import type { AcquisitionProvider } from '../../config.ts'
import type { Context } from '../../kernel/context.ts'
import { parseEmail } from '../../kernel/email.ts'
import { AppError } from '../../kernel/errors.ts'
import { isRecord } from '../../kernel/json/is-record.ts'
import { parseJsonText } from '../../kernel/json/parse-json-text.ts'
import type { OutboundHttp, PostOutcome } from '../../kernel/outbound/index.ts'
import { FairSemaphore } from '../../kernel/runner/fair-semaphore.ts'
import { type EmailStatus, emailStatuses } from './schema.ts'

export interface ProvidedAddress {
  email: string
  folded: string
  status: EmailStatus
}

export interface ProviderRequest {
  /** Every attempt at one reveal has one key, so that the provider charges it once. */
  idempotencyKey: string
  person: object
}

const attemptsMax = 3
/** Before the second and the third attempt; twice as long at most, at random. */
const pausesMs = [300, 1500]
/** Of all attempts and pauses: a caller waits for the answer. */
const budgetMs = 25_000
const retryAfterMaxMs = 5_000

/** Requests at once, so that a provider that hangs takes no connections from webhooks. */
const inFlightMax = 64
/** A workspace whose requests hang leaves others the rest. */
const inFlightOfWorkspaceMax = 48

/**
 * Asks the operator's provider (docs/providers.md). Nothing when it knows no address.
 *
 * @throws AppError `unavailable` when it does not answer usably, so that the caller asks again: as
 *   `not_found` the answer would be kept under the caller's Idempotency-Key for a day
 */
export async function askProvider(
  ctx: Context,
  workspaceId: string,
  provider: AcquisitionProvider,
  request: ProviderRequest,
): Promise<ProvidedAddress | undefined> {
  const deadlineMs = ctx.monotonicMs() + budgetMs
  return semaphoreOf(ctx).run(workspaceId, async () => {
    for (let attempt = 1; ; attempt++) {
      const verdict = await attemptOnce(ctx, provider, request, deadlineMs)
      if (verdict.kind === 'answered') return verdict.address
      ctx.log.warn({ reason: verdict.reason, attempt }, 'the acquisition provider gave no answer')
      if (verdict.kind === 'refused' || attempt === attemptsMax) throw noAnswer()
      const pauseMs = verdict.afterMs ?? (pausesMs[attempt - 1] ?? 0) * (1 + ctx.random())
      if (pauseMs > retryAfterMaxMs || ctx.monotonicMs() + pauseMs >= deadlineMs) throw noAnswer()
      await ctx.sleep(pauseMs)
    }
  })
}

const noAnswer = () =>
  new AppError(
    'unavailable',
    'The address could not be looked up; nothing was charged. Try again.',
    {
      headers: { 'retry-after': '30' },
    },
  )

const semaphores = new WeakMap<OutboundHttp, FairSemaphore>()

function semaphoreOf({ http }: Context) {
  const semaphore = semaphores.get(http) ?? new FairSemaphore(inFlightMax, inFlightOfWorkspaceMax)
  semaphores.set(http, semaphore)
  return semaphore
}

async function attemptOnce(
  ctx: Context,
  provider: AcquisitionProvider,
  request: ProviderRequest,
  deadlineMs: number,
): Promise<Verdict> {
  const leftMs = deadlineMs - ctx.monotonicMs()
  if (leftMs <= 0) return { kind: 'refused', reason: 'too many wait for it' }
  const outcome = await ctx.http.post({
    use: 'contact provider',
    url: provider.url,
    headers: {
      authorization: `Bearer ${provider.secret}`,
      'content-type': 'application/json',
      'idempotency-key': request.idempotencyKey,
      'user-agent': `Outrider/${ctx.config.version}`,
    },
    body: JSON.stringify(request.person),
    timeoutMs: Math.min(provider.timeoutMs, leftMs),
  })
  return judge(outcome)
}

type Verdict =
  | { kind: 'answered'; address: ProvidedAddress | undefined }
  /** Asking again would not help. */
  | { kind: 'refused'; reason: string }
  | { kind: 'failed'; reason: string; afterMs?: number | undefined }

function judge(outcome: PostOutcome): Verdict {
  if (outcome.kind === 'unsent') return { kind: 'failed', reason: outcome.reason }
  if (outcome.kind === 'failure') {
    const { error: reason } = outcome
    if (reason === 'blocked_address') return { kind: 'refused', reason }
    return { kind: 'failed', reason }
  }
  const { status, body, retryAfter } = outcome
  if (status === 404) return { kind: 'answered', address: undefined }
  if (status >= 500 || status === 408 || status === 425 || status === 429) {
    return { kind: 'failed', reason: `status ${status}`, afterMs: waitOf(retryAfter) }
  }
  if (status < 200 || status > 299) return { kind: 'refused', reason: `status ${status}` }
  return readAnswer(body) ?? { kind: 'refused', reason: 'the body is not as documented' }
}

/** A date is not worth waiting for with a caller on the line. */
const waitOf = (retryAfter: string | null) =>
  retryAfter !== null && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined

function readAnswer(body: string | null): Verdict | undefined {
  const answer = parse(body)
  if (!isRecord(answer) || !('email' in answer)) return
  const { email, email_status: status = 'unknown' } = answer
  if (email === null) return { kind: 'answered', address: undefined }
  const address = typeof email === 'string' ? parseEmail(email) : undefined
  if (!address || !isEmailStatus(status)) return
  return {
    kind: 'answered',
    address: { email: address.email, folded: address.folded, status },
  }
}

const isEmailStatus = (value: unknown): value is EmailStatus =>
  emailStatuses.some((status) => status === value)

function parse(text: string | null): unknown {
  try {
    return parseJsonText(text ?? '')
  } catch {
    return undefined
  }
}
