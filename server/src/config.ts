import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import {
  baseAddress,
  databaseAddress,
  pageAddress,
  redisAddress,
  webAddress,
} from './config-addresses.ts'
import { parseCidrs } from './kernel/outbound/cidr.ts'
import { type AddressPolicy, isLoopback } from './kernel/outbound/policy.ts'
import { packageFile } from './kernel/own-files.ts'

export interface Config {
  host: string
  port: number
  dataDir: string
  /** Undefined: an embedded PostgreSQL in `dataDir`. */
  databaseUrl: string | undefined
  /** The PostgreSQL behind the pooler that `databaseUrl` leads to. Undefined: there is no pooler. */
  databaseDirectUrl: string | undefined
  /** Further databases that workspaces lie on. */
  databaseShards: ShardAddress[]
  databasePrepared: boolean
  databaseConnectionsMax: number
  baseUrl: string
  apiUrl: string
  /**
   * Where this process was told that the links of mails lead, tracking and unsubscribe. Undefined: it
   * was not told, what the installation keeps holds. Null: what is kept is to be forgotten.
   */
  trackingUrl: string | null | undefined
  /** As strict, while the process runs, as that of another one that is reached from elsewhere. */
  outbound: AddressPolicy
  /** Why it is that one; for a person. */
  outboundReason: string
  /** By OUTBOUND_POLICY. */
  outboundIsGiven: boolean
  /** Networks whose word on where a request comes from is taken: proxies in front of the service. */
  trustedProxies: string[]
  secretKey: string | undefined
  /** IMAP connections of one process; with more mailboxes they are read in turns. */
  imapConnectionsMax: number
  redisUrl: string | undefined
  metricsToken: string | undefined
  /** Where a runner by itself answers /health, /ready and /metrics. Undefined: nowhere. */
  runnerPort: number | undefined
  logLevel: string
  /** Waits before each retry, in ms. */
  webhookRetryDelaysMs: number[]
  /** Where it was not told how long things are kept, a process goes by what another one was told. */
  webhookRetentionDays: number | undefined
  messageRetentionDays: number | undefined
  auditRetentionDays: number | undefined
  /** Undefined: addresses that the directory lacks are proposed by pattern. */
  acquisitionProvider: AcquisitionProvider | undefined
  leaseMs: number
  /** Another way to sign in to the application. Undefined: by password alone. */
  oidc: OidcProvider | undefined
  /** Clients of the operator's, registered where people consent to the use of their mailboxes. */
  mailClients: Partial<Record<ConsentProvider, MailClient>>
  version: string
}

/** Where a further database of workspaces is. */
export interface ShardAddress {
  name: string
  url: string
  /** The PostgreSQL behind the pooler that `url` leads to. Undefined: there is no pooler. */
  directUrl: string | undefined
}

/** Who asks the owner of a mailbox whether Outrider may use it. */
export type ConsentProvider = 'google' | 'microsoft'

/** An OAuth 2.0 client. */
export interface MailClient {
  clientId: string
  clientSecret: string
  authorizeUrl: string
  tokenUrl: string
  /** Other servers than the provider's own. */
  servers?: Record<'smtp' | 'imap', { host: string; port: number; security: 'none' }>
}

/** A provider of OpenID Connect. */
interface OidcProvider {
  issuer: string
  clientId: string
  clientSecret: string
  /** As the sign-in page calls it. */
  name: string
}

/** A service of the operator's that looks up addresses (docs/providers.md). */
export interface AcquisitionProvider {
  url: string
  secret: string
  /** Of one attempt. */
  timeoutMs: number
}

export const environment: NodeJS.ProcessEnv = process.env

/** The only reader of the environment. Throws one sentence that names the variable and what it takes. */
export function readConfig(env: NodeJS.ProcessEnv = environment): Config {
  const host = env.HOST || '127.0.0.1'
  const port = integer(env, 'PORT', 3000, 0, 65_535)
  const own = `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const listener = URL.parse(own)
  if (listener?.href !== `${listener?.origin}/` && !(env.BASE_URL && env.API_URL)) {
    throw new Error('HOST must be a host name or an IP address alone, as 0.0.0.0.')
  }
  // With API_URL alone, programs are what calls this process by its own address.
  const isOfPages = env.BASE_URL || !env.API_URL
  const baseUrl = (isOfPages ? pageAddress : baseAddress)(env, 'BASE_URL', own)
  if (new URL(baseUrl).pathname !== '/') {
    throw new Error(
      'BASE_URL must have no path, as https://outrider.example.com: give the application a host name of its own.',
    )
  }
  const apiUrl = baseAddress(env, 'API_URL', own)
  return {
    host,
    port,
    dataDir: resolve(env.DATA_DIR || './data'),
    databaseUrl: databaseAddress('DATABASE_URL', env.DATABASE_URL),
    databaseDirectUrl: databaseDirectUrl(env),
    databaseShards: databaseShards(env),
    databasePrepared: choice(env, 'DATABASE_PREPARED', ['on', 'off']) === 'on',
    // The embedded PostgreSQL takes 200, and `npm start` uses so many twice.
    databaseConnectionsMax: integer(
      env,
      'DATABASE_CONNECTIONS',
      10,
      2,
      env.DATABASE_URL ? 1000 : 90,
    ),
    baseUrl,
    apiUrl,
    trackingUrl: trackingUrl(env, env.API_URL ? apiUrl : undefined),
    ...outboundPolicy(env, [host, new URL(baseUrl).hostname, new URL(apiUrl).hostname]),
    trustedProxies: trustedProxies(env.TRUSTED_PROXIES),
    secretKey: env.OUTRIDER_SECRET_KEY || undefined,
    imapConnectionsMax: integer(env, 'IMAP_CONNECTIONS', 1000, 10, 50_000),
    redisUrl: redisAddress(env.REDIS_URL),
    metricsToken: env.METRICS_TOKEN || undefined,
    runnerPort: env.RUNNER_PORT ? integer(env, 'RUNNER_PORT', 0, 0, 65_535) : undefined,
    logLevel: choice(env, 'LOG_LEVEL', ['info', 'debug', 'warn', 'error', 'silent']),
    webhookRetryDelaysMs: retryDelays(env.WEBHOOK_RETRY_SCHEDULE),
    webhookRetentionDays: days(env, 'WEBHOOK_RETENTION_DAYS', 7, 3650),
    messageRetentionDays: days(env, 'MESSAGE_RETENTION_DAYS', 30, 36_500),
    auditRetentionDays: days(env, 'AUDIT_RETENTION_DAYS', 30, 36_500),
    acquisitionProvider: acquisitionProvider(env),
    leaseMs: integer(env, 'LEASE_MS', 30_000, 500, 600_000),
    oidc: oidcProvider(env),
    mailClients: mailClients(env),
    version: readVersion(),
  }
}

function databaseDirectUrl({ DATABASE_URL, DATABASE_DIRECT_URL }: NodeJS.ProcessEnv) {
  if (DATABASE_URL || !DATABASE_DIRECT_URL) {
    return databaseAddress('DATABASE_DIRECT_URL', DATABASE_DIRECT_URL)
  }
  throw new Error(
    'DATABASE_DIRECT_URL is the way around a pooler: set DATABASE_URL, too, to the pooler, or alone.',
  )
}

/** The shard of DATABASE_URL, which has no other name. */
export const firstShardName = 'first'

function databaseShards(env: NodeJS.ProcessEnv): ShardAddress[] {
  const urls = namedUrls(env, 'DATABASE_SHARDS')
  const directUrls = namedUrls(env, 'DATABASE_DIRECT_SHARDS')
  for (const name of directUrls.keys()) {
    if (urls.has(name)) continue
    throw new Error(
      `DATABASE_DIRECT_SHARDS names ${name}, which DATABASE_SHARDS lacks: name the same shard in both.`,
    )
  }
  return [...urls].map(([name, url]) => ({ name, url, directUrl: directUrls.get(name) }))
}

/** Never quotes what was given, which holds passwords. */
function namedUrls(env: NodeJS.ProcessEnv, variable: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const part of (env[variable] ?? '').split(/\s+/).filter(Boolean)) {
    const [, name = '', url = ''] = /^([a-z][a-z0-9-]{0,30})=(.+)$/.exec(part) ?? []
    if (!/^postgres(ql)?:$/.test(URL.parse(url)?.protocol ?? '')) {
      throw new Error(
        `${variable} must be names with addresses, as "b=postgres://user:password@host:5432/database c=postgres://…": a name has lower-case letters, digits and hyphens.`,
      )
    }
    if (name === firstShardName) {
      throw new Error(`${variable} must not name ${name}, which is the database of DATABASE_URL.`)
    }
    if (found.has(name)) throw new Error(`${variable} names ${name} twice: leave one of them out.`)
    databaseAddress(variable, url)
    found.set(name, url)
  }
  return found
}

function outboundPolicy(env: NodeJS.ProcessEnv, listeners: string[]) {
  const elsewhere = listeners.find((name) => !isLoopback(name))
  const fallback = elsewhere === undefined ? 'any' : 'public'
  const mode = choice(env, 'OUTBOUND_POLICY', [fallback, 'any', 'public']) as AddressPolicy['mode']
  const because =
    elsewhere === undefined
      ? 'HOST, BASE_URL and API_URL are loopback addresses'
      : `${elsewhere} is reachable from elsewhere`
  return {
    outbound: { mode, allow: parseCidrs(env.OUTBOUND_ALLOW ?? '') },
    outboundIsGiven: Boolean(env.OUTBOUND_POLICY),
    outboundReason: env.OUTBOUND_POLICY ? 'OUTBOUND_POLICY says so' : because,
  }
}

const trustedProxies = (text = ''): string[] =>
  parseCidrs(text, 'TRUSTED_PROXIES').map((cidr) => cidr.text)

function acquisitionProvider(env: NodeJS.ProcessEnv): AcquisitionProvider | undefined {
  const timeoutMs = integer(env, 'ACQUISITION_PROVIDER_TIMEOUT_MS', 10_000, 100, 20_000)
  const { ACQUISITION_PROVIDER_URL, ACQUISITION_PROVIDER_SECRET: secret } = env
  if (!ACQUISITION_PROVIDER_URL) return undefined
  webAddress(env, 'ACQUISITION_PROVIDER_URL')
  // Byte for byte: a trailing slash may matter to it, or a query.
  if (secret && /^[\x21-\x7e]+$/.test(secret)) {
    return { url: ACQUISITION_PROVIDER_URL, secret, timeoutMs }
  }
  throw new Error(
    'ACQUISITION_PROVIDER_SECRET must be set with ACQUISITION_PROVIDER_URL: the bearer token that it checks, without spaces.',
  )
}

function oidcProvider(env: NodeJS.ProcessEnv): OidcProvider | undefined {
  const { OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env
  if (!env.OIDC_ISSUER) return undefined
  const issuer = baseAddress(env, 'OIDC_ISSUER')
  const name = env.OIDC_NAME || 'single sign-on'
  if (clientId && clientSecret) return { issuer, clientId, clientSecret, name }
  throw new Error(
    'OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set with OIDC_ISSUER: as the provider shows them.',
  )
}

function mailClients(env: NodeJS.ProcessEnv): Config['mailClients'] {
  const tenant = env.MICROSOFT_TENANT || 'common'
  if (!/^[\w.-]+$/.test(tenant)) {
    throw new Error('MICROSOFT_TENANT must be the id or a domain of your directory.')
  }
  const microsoft = `https://login.microsoftonline.com/${tenant}/oauth2/v2.0`
  return {
    ...mailClient(env, 'google', {
      authorizeUrl: 'https://accounts.google.com/o/oauth2/v2/auth',
      tokenUrl: 'https://oauth2.googleapis.com/token',
    }),
    ...mailClient(env, 'microsoft', {
      authorizeUrl: `${microsoft}/authorize`,
      tokenUrl: `${microsoft}/token`,
    }),
  }
}

function mailClient(
  env: NodeJS.ProcessEnv,
  provider: ConsentProvider,
  addresses: Pick<MailClient, 'authorizeUrl' | 'tokenUrl'>,
): Config['mailClients'] {
  const name = provider.toUpperCase()
  const clientId = env[`${name}_CLIENT_ID`]
  const clientSecret = env[`${name}_CLIENT_SECRET`]
  if (!clientId && !clientSecret) return {}
  if (clientId && clientSecret) return { [provider]: { clientId, clientSecret, ...addresses } }
  throw new Error(`${name}_CLIENT_ID and ${name}_CLIENT_SECRET must be set together.`)
}

function integer(env: NodeJS.ProcessEnv, name: string, fallback: number, min: number, max: number) {
  const text = env[name]
  if (!text) return fallback
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new Error(`${name} must be a whole number from ${min} to ${max}.`)
}

const days = (env: NodeJS.ProcessEnv, name: string, min: number, max: number) =>
  env[name] ? integer(env, name, 0, min, max) : undefined

/** The first choice is the default. */
function choice(env: NodeJS.ProcessEnv, name: string, choices: string[]): string {
  const value = env[name] || choices[0]
  if (value !== undefined && choices.includes(value)) return value
  throw new Error(`${name} must be one of ${[...new Set(choices)].join(', ')}.`)
}

function trackingUrl(env: NodeJS.ProcessEnv, fallback: string | undefined) {
  if (!env.TRACKING_URL) return fallback
  return env.TRACKING_URL === 'none' ? null : pageAddress(env, 'TRACKING_URL')
}

/** Nothing is attempted later than this after its event, so no longer wait can end in a retry. */
const retryDelayMaxS = 72 * 3_600

function retryDelays(text = '5,60,300,1800,7200,28800,86400'): number[] {
  const seconds = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  if (seconds.every((value) => value >= 0 && value <= retryDelayMaxS)) {
    return seconds.map((value) => value * 1000)
  }
  throw new Error(
    `WEBHOOK_RETRY_SCHEDULE must be seconds from 0 to ${retryDelayMaxS}, separated by commas.`,
  )
}

export function readVersion(): string {
  const text = readFileSync(packageFile('package.json'), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

/** Of several databases the runner of each has an equal part of what a process may have open. */
export const imapConnectionsOfEach = ({
  imapConnectionsMax,
  databaseShards,
}: Pick<Config, 'imapConnectionsMax' | 'databaseShards'>) =>
  Math.ceil(imapConnectionsMax / (databaseShards.length + 1))
