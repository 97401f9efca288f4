import { timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Context } from '../context.ts'
import { sha256 } from '../crypto.ts'
import { readMigrationGap } from '../db/instance.ts'
import { AppError } from '../errors.ts'
import { isLoopback } from '../outbound/index.ts'

/** For whoever runs the service: outside the public document, without a key. */
export async function operationRoutes(app: FastifyInstance) {
  app.get('/health', { schema: { hide: true } }, async () => ok)

  app.get('/ready', { schema: { hide: true } }, async (req) => {
    await checkReadiness(req.ctx)
    return ok
  })

  app.get('/metrics', { schema: { hide: true } }, async (req, reply) => {
    checkMetricsAccess(req, req.ctx.config.metricsToken)
    reply.type(req.ctx.metrics.contentType)
    return req.ctx.metrics.text()
  })
}

const ok = { status: 'ok' }

/** Shorter than the probes of the usual supervisors wait. */
const readinessMs = 2000

/**
 * A newer version may have migrated further already: only what is missing counts.
 *
 * @throws AppError `unavailable`
 */
async function checkReadiness(ctx: Context) {
  const calledOff = new AbortController()
  const late = ctx.sleep(readinessMs, calledOff.signal).then(() => undefined)
  const gap = await Promise.race([readMigrationGap(ctx.db).catch(() => undefined), late])
  calledOff.abort()
  if (!gap) throw unavailable('The database is not reachable; try again shortly.')
  if (gap.missing.length > 0) {
    throw unavailable('The database is not migrated to this version; run "npx outrider migrate".')
  }
  for (const trouble of ctx.troubles?.values() ?? []) throw unavailable(trouble)
}

const unavailable = (message: string) =>
  new AppError('unavailable', message, { headers: { 'retry-after': '1' } })

/**
 * From this machine, or with METRICS_TOKEN. Behind a proxy on this machine every request comes from
 * loopback, so one that was passed on needs the token.
 */
function checkMetricsAccess(req: FastifyRequest, token: string | undefined) {
  const passedOn = proxyHeaders.some((name) => req.headers[name] !== undefined)
  if (!passedOn && isLoopback(req.socket.remoteAddress ?? '')) return
  if (token === undefined) throw new AppError('unknown_path', 'No such path.')
  const given = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1]
  if (given !== undefined && timingSafeEqual(sha256(given), sha256(token))) return
  throw new AppError(
    given === undefined ? 'missing_key' : 'invalid_key',
    'Send the METRICS_TOKEN of this server as "Authorization: Bearer <token>".',
    { headers: { 'www-authenticate': 'Bearer' } },
  )
}

const proxyHeaders = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via']
