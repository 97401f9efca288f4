import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ProcessContext, Shards } from '../context.ts'
import { sha256 } from '../crypto.ts'
import { explainUnavailable } from '../db/failure.ts'
import { readMigrationGap } from '../db/migration-gap.ts'
import { AppError } from '../errors.ts'
import { isLoopback } from '../outbound/index.ts'
import { shareFor } from '../share-for.ts'
import { within } from '../within.ts'

interface HealthOptions {
  /** Where links of mails lead, by whatever process was told. */
  linkUrlOf: LinkUrlOf
}

type LinkUrlOf = (ctx: ProcessContext) => string | undefined

/** Routes of whoever runs the service: outside the public document, without a key. */
export async function healthRoutes(app: FastifyInstance, { linkUrlOf }: HealthOptions) {
  app.get('/health', { schema: { hide: true } }, async () => ok)

  const problems = shareFor(readyForMs, findProblems)
  app.get('/ready', { schema: { hide: true } }, async (req) => {
    const { process: ctx } = req
    const { shards } = ctx
    const found = await problems(ctx)
    const message = sentenceOf(shards?.first.ctx ?? ctx, found)
    if (message === undefined) return shards ? { ...ok, shards: describeShards(shards, found) } : ok
    throw new AppError('unavailable', message)
  })

  app.get('/metrics', { schema: { hide: true } }, async (req, reply) => {
    checkMetricsAccess(req, req.process, linkUrlOf)
    reply.type(req.process.metrics.contentType)
    return req.process.metrics.text()
  })
}

/** What watches a process asks for these several times a minute. */
export const isProbe = (route: string) => probes.has(route)
const probes = new Set(['/health', '/ready', '/metrics'])

const ok = { status: 'ok' }

/** Anybody may ask /ready, as often as they like: it costs one look a second. */
const readyForMs = 1000

/** Shorter than the probes of the usual supervisors wait. */
const readinessMs = 2000

type Problems = Map<ProcessContext, string | undefined>

/** By database. */
async function findProblems(ctx: ProcessContext): Promise<Problems> {
  const contexts = ctx.shards?.opened.map((shard) => shard.ctx) ?? [ctx]
  return new Map(
    await Promise.all(contexts.map(async (own) => [own, await findProblem(own)] as const)),
  )
}

/** What a request meets, and the trouble that may be why. */
const sentenceOf = (ctx: ProcessContext, problems: Problems) =>
  [problems.get(ctx), ctx.troubles?.sentences[0]].filter(Boolean).join(' ') || undefined

/**
 * Of several databases, what keeps the workspaces of each from being served. One that is down is no
 * reason to send requests elsewhere, unless it is the first.
 */
function describeShards(shards: Shards, problems: Problems): Record<string, string> {
  const opened = shards.opened.map(
    ({ name, ctx }) => [name, sentenceOf(ctx, problems) ?? ok.status] as const,
  )
  return Object.fromEntries([...opened, ...shards.troubles])
}

/** Why requests cannot be served. A newer version may have migrated further: that is no reason. */
async function findProblem(ctx: ProcessContext): Promise<string | undefined> {
  const gap = await within(
    ctx,
    readinessMs,
    readMigrationGap(ctx.db).catch((error) => explainUnavailable(error)?.message),
  )
  if (gap === undefined) return 'The database is not reachable; try again shortly.'
  if (typeof gap === 'string') return gap
  if (gap.missing.length > 0) {
    // The command without it leaves further databases alone.
    const all = ctx.shards && ctx !== ctx.shards.first.ctx ? ' --shards' : ''
    return `The database is not migrated to this version; run "npx outrider migrate${all}".`
  }
}

/**
 * Without METRICS_TOKEN only from this machine, and only where the service is for this machine alone:
 * a proxy in front of it comes from loopback too, and need not say for whom it asks.
 */
function checkMetricsAccess(req: FastifyRequest, ctx: ProcessContext, linkUrlOf: LinkUrlOf) {
  const { metricsToken: token } = ctx.config
  const passedOn = proxyHeaders.some((name) => req.headers[name] !== undefined)
  const isFromHere = isLoopback(req.socket.remoteAddress ?? '') && !passedOn
  if (isFromHere && isForThisMachine(ctx, linkUrlOf)) return
  if (token === undefined) {
    throw new AppError(
      'unknown_path',
      isFromHere
        ? 'Set METRICS_TOKEN, and send it as "Authorization: Bearer <token>".'
        : 'No such path.',
    )
  }
  const given = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1]
  if (given !== undefined && timingSafeEqual(sha256(given), sha256(token))) return
  throw new AppError(
    given === undefined ? 'missing_key' : 'invalid_key',
    'Send the METRICS_TOKEN of this server as "Authorization: Bearer <token>".',
    { headers: { 'www-authenticate': 'Bearer' } },
  )
}

/** Nobody elsewhere was given an address of it, also not by what another process was told. */
const isForThisMachine = (ctx: ProcessContext, linkUrlOf: LinkUrlOf) => {
  const { host, baseUrl, apiUrl, trackingUrl } = ctx.config
  const urls = [baseUrl, apiUrl, trackingUrl, linkUrlOf(ctx)]
  const hosts = urls.flatMap((url) => URL.parse(url ?? '')?.hostname ?? [])
  return isLoopback(host) && hosts.every(isLoopback)
}

const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']
