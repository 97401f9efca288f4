import type { Context } from '../context.ts'
import { sha256 } from '../crypto.ts'
import type { OutboundHttp, PostOutcome } from '../outbound/index.ts'
import { MailFailure, type MailFailureKind } from './failure.ts'

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
  /** It was made just now, so that asking again would not help. */
  isNew: boolean
  /** The provider replaced the refresh token by this one, which has to be kept. */
  refreshToken: string | null
}

interface Token {
  accessToken: string
  refreshToken: string | null
  /** By the monotonic clock. */
  expiresMs: number
}

const timeoutMs = 15_000
/** Tokens of Microsoft take 3 KiB. */
const answerBytesMax = 16 * 1024
/** A token is not used when it may expire on its way. */
const marginMs = 120_000
const usualLifeS = 3600
const tokensMax = 10_000

/**
 * The access token of a grant, made once and used until it is about to expire.
 *
 * @throws MailFailure of the login; its `response` is the error code of the provider
 */
export async function getAccessToken(
  ctx: Context,
  grant: OAuth2Grant,
  options: { renew?: boolean } = {},
): Promise<AccessToken> {
  const tokens = tokensOf(ctx)
  const known = tokens.get(keyOf(grant))
  if (known?.token && known.token.expiresMs > ctx.monotonicMs() && !options.renew) {
    return { accessToken: known.token.accessToken, refreshToken: null, isNew: false }
  }
  // Some providers take a refresh token once: who asks at the same time gets the same answer.
  const asked = known && !known.token ? known : ask(ctx, grant, tokens)
  const { accessToken, refreshToken } = await asked.answer
  return { accessToken, refreshToken, isNew: true }
}

interface Asked {
  answer: Promise<Token>
  /** Once it is here. */
  token?: Token
}

type Tokens = Map<string, Asked>

const tokensByProcess = new WeakMap<OutboundHttp, Tokens>()

function tokensOf({ http }: Context): Tokens {
  const tokens = tokensByProcess.get(http) ?? new Map<string, Asked>()
  tokensByProcess.set(http, tokens)
  return tokens
}

const keyOf = (grant: OAuth2Grant) => sha256(JSON.stringify(grant)).toString('base64')

function ask(ctx: Context, grant: OAuth2Grant, tokens: Tokens): Asked {
  const key = keyOf(grant)
  const asked: Asked = { answer: requestToken(ctx, grant) }
  tokens.delete(key)
  tokens.set(key, asked)
  if (tokens.size > tokensMax) tokens.delete(tokens.keys().next().value ?? '')
  asked.answer.then(
    (token) => {
      asked.token = token
      const { refreshToken } = token
      if (refreshToken) tokens.set(keyOf({ ...grant, refresh_token: refreshToken }), asked)
    },
    () => {
      if (tokens.get(key) === asked) tokens.delete(key)
    },
  )
  return asked
}

async function requestToken(ctx: Context, grant: OAuth2Grant): Promise<Token> {
  const { token_url, ...fields } = grant
  const outcome = await ctx.http.post({
    url: token_url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'user-agent': `Outrider/${ctx.config.version}`,
    },
    body: new URLSearchParams({ grant_type: 'refresh_token', ...fields }).toString(),
    timeoutMs,
    textBytesMax: answerBytesMax,
  })
  if (outcome.kind === 'failure') throw unanswered(outcome)
  const answer = parse(outcome.body)
  const { access_token, refresh_token, expires_in } = answer
  if (outcome.status === 200 && typeof access_token === 'string' && isPlain.test(access_token)) {
    const lifeS = Number(expires_in) > 0 ? Number(expires_in) : usualLifeS
    return {
      accessToken: access_token,
      refreshToken:
        typeof refresh_token === 'string' && refresh_token !== grant.refresh_token
          ? refresh_token
          : null,
      expiresMs: ctx.monotonicMs() + lifeS * 1000 - marginMs,
    }
  }
  const code = typeof answer.error === 'string' ? answer.error.slice(0, 100) : null
  if (code === null || outcome.status >= 500 || outcome.status === 429) {
    throw new MailFailure('login', 'protocol', { detail: tokenDetail, response: code })
  }
  throw new MailFailure('login', 'refused', { detail: tokenDetail, response: code })
}

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

function unanswered({ error }: Extract<PostOutcome, { kind: 'failure' }>): MailFailure {
  return new MailFailure('login', kinds[error] ?? 'unreachable', { detail: tokenDetail })
}

const kinds: Record<string, MailFailureKind> = {
  timeout: 'timeout',
  dns_error: 'dns',
  connection_reset: 'closed',
  tls_error: 'tls',
  blocked_address: 'blocked',
}
