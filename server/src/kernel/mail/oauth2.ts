import type { AnyContext } from '../context.ts'
import type { PostOutcome } from '../outbound/index.ts'
import { kindOfOutbound, MailFailure } from './failure.ts'

/** What a person consented to, so that this service may log in for them (RFC 6749 §6). */
export interface OAuth2Grant {
  token_url: string
  client_id: string
  client_secret?: string
  refresh_token: string
  scope?: string
}

export interface AccessToken {
  accessToken: string
  /** From then on it may expire on its way. */
  expiresAt: Date
  /** The provider replaced the refresh token by this one, which has to be kept. */
  refreshToken: string | null
}

/** No answer takes longer. */
export const tokenTimeoutMs = 15_000
/** Tokens of Microsoft take 3 KiB. */
const answerBytesMax = 16 * 1024
const marginMs = 120_000
const usualLifeS = 3600
/** Whatever a provider says: nobody needs one for longer, and a date has to hold it. */
const lifeMaxS = 86_400

/**
 * Asks the provider of the login for an access token. The refresh token may be spent by that: it must
 * not be used for two requests at the same time.
 *
 * @throws MailFailure of the login; its `response` is the error code of the provider
 */
export async function requestAccessToken(
  ctx: AnyContext,
  grant: OAuth2Grant,
): Promise<AccessToken> {
  const { token_url, ...fields } = grant
  const token = await askForToken(ctx, token_url, { grant_type: 'refresh_token', ...fields })
  const isNew = token.refreshToken !== grant.refresh_token
  const { accessToken, expiresAt } = token
  return { accessToken, expiresAt, refreshToken: isNew ? token.refreshToken : null }
}

/** A code that a provider gave to somebody's browser (RFC 6749 §4.1.3, RFC 7636 §4.5). */
export interface AuthorizationCode {
  token_url: string
  client_id: string
  client_secret: string
  redirect_uri: string
  code: string
  code_verifier: string
}

export interface RedeemedCode extends AccessToken {
  /** What was consented to, where the provider says so. */
  scope: string | null
  /** The ID token of OpenID Connect. It came from the provider itself, over TLS. */
  idToken: string | null
}

/**
 * Asks for the tokens of a code, which is good once and for a short time.
 *
 * @throws MailFailure as `requestAccessToken`
 */
export function redeemCode(ctx: AnyContext, given: AuthorizationCode): Promise<RedeemedCode> {
  const { token_url, ...fields } = given
  return askForToken(ctx, token_url, { grant_type: 'authorization_code', ...fields })
}

async function askForToken(
  ctx: AnyContext,
  url: string,
  fields: Record<string, string>,
): Promise<RedeemedCode> {
  const outcome = await ctx.http.post({
    use: 'oauth2',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': `Outrider/${ctx.config.version}`,
    },
    body: new URLSearchParams(fields).toString(),
    timeoutMs: tokenTimeoutMs,
    textBytesMax: answerBytesMax,
  })
  if (outcome.kind !== 'response') throw unanswered(outcome)
  const answer = parse(outcome.body)
  const { access_token, refresh_token, expires_in, scope, id_token } = answer
  if (outcome.status === 200 && typeof access_token === 'string' && isPlain.test(access_token)) {
    const saidS = Number(expires_in) > 0 ? Number(expires_in) : usualLifeS
    const lifeMs = Math.min(saidS, lifeMaxS) * 1000
    return {
      accessToken: access_token,
      refreshToken: textOf(refresh_token),
      expiresAt: new Date(ctx.now().getTime() + Math.max(lifeMs - marginMs, lifeMs / 2)),
      scope: textOf(scope),
      idToken: textOf(id_token),
    }
  }
  const code = typeof answer.error === 'string' ? answer.error.slice(0, 100) : null
  const isTheirs = code === null || troubles.has(code)
  if (isTheirs || outcome.status >= 500 || outcome.status === 429) {
    throw new MailFailure('login', 'protocol', { detail: tokenDetail, response: code })
  }
  throw new MailFailure('login', 'refused', { detail: tokenDetail, response: code })
}

/** That a provider cannot answer now, whichever status it says it with (RFC 6749 §4.1.2.1). */
const troubles = new Set(['temporarily_unavailable', 'server_error'])

const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null)

/** What stands in the `detail` of every failure to get a token. */
export const tokenDetail = 'no access token came from the provider of the login'

// It is sent to the mail server between control characters.
const isPlain = /^[\x21-\x7e]+$/

function parse(body: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body ?? '')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

function unanswered(outcome: Exclude<PostOutcome, { kind: 'response' }>): MailFailure {
  const kind = outcome.kind === 'failure' ? kindOfOutbound(outcome.error) : 'unreachable'
  return new MailFailure('login', kind, { detail: tokenDetail })
}
