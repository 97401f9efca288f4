import type { Server } from 'node:http'
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { type Context, inWorkspace, type ProcessContext } from '../context.ts'
import { describeFailure, movingOf } from '../db/failure.ts'
import { searchInTurn } from '../db/search-slots.ts'
import { AppError } from '../errors.ts'
import {
  type Access,
  type Authenticate,
  type Caller,
  checkAccess,
  checkRate,
  type Door,
  keyDoor,
} from './access.ts'
import { namesOf, type Observe } from './answered-request.ts'
import { refuseCrossSite } from './cross-site.ts'
import { commonHeaders, errorReply, toAppError } from './error-reply.ts'
import {
  findConflict,
  type IdempotencyMode,
  type Mask,
  type Prepare,
  readKey,
  withIdempotency,
} from './idempotency.ts'
import type { RateLimit } from './rate-limit.ts'
import { acceptJsonBodies } from './request-body.ts'
import { methodsOf, trackRoutes, unknownPath } from './route-table.ts'
import { sharedCompilers } from './shared-compilers.ts'
import { answerWhatNodeWould, refuseConnection, refuseUrl } from './unread-requests.ts'
import { buildValidator } from './validation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The process's context, on the first shard: what routes without `access` have, which belong to no workspace. */
    process: ProcessContext
    /** In the caller's workspace; of an idempotent request with its open transaction. */
    ctx: Context
    /** The caller who was let in; undefined on routes without `access`, and before that is known. */
    authenticated: Caller | undefined
    /** The caller on routes with `access`. @throws where there is none */
    readonly caller: Caller
    /**
     * Its caller was let in before its whole body had arrived. Whoever has lost their rights since must not
     * go on with it, however slowly they send, so the caller is checked again at its end.
     */
    wasIncomplete: boolean
  }
  interface FastifyContextConfig {
    /** Absent on the few routes that belong to no workspace. */
    access?: Access
    /** The way in for browsers, which send cookies with whatever they send; undefined: by key. */
    door?: Door
    idempotency?: IdempotencyMode
    /** What a POST asks the network, before the handler's transaction. */
    prepare?: Prepare
    /** Whether a POST looks through a workspace: it takes its turn before the handler's transaction. */
    searches?: (req: FastifyRequest) => boolean
    /** Hides secrets in an answer kept for Idempotency-Key. */
    mask?: Mask
  }
}

export interface ServerOptions {
  authenticate: Authenticate
  rateLimit: Pick<RateLimit, 'consume'>
  observe: Observe
  /** What a person sees in a browser at an address that leads nowhere. */
  showUnknownPage?: (reply: FastifyReply) => Promise<string>
}

const schemasOfServer = sharedCompilers(buildValidator)
const bodyLimitBytes = 1024 * 1024
const safeRequestId = /^[A-Za-z0-9._~:/+=-]{1,128}$/

/** The HTTP kernel of contract §1: every route registered on it obeys the same order of checks. */
export function createServer(ctx: ProcessContext, options: ServerOptions): FastifyInstance {
  const app: FastifyInstance = Fastify(serverOptions(ctx, options.observe, () => app))
  const byKey = keyDoor(options.authenticate, options.rateLimit)
  acceptJsonBodies(app)
  answerWhatNodeWould(app, ctx, options.observe)
  trackRoutes(app)
  app.decorateRequest('process')
  app.decorateRequest('ctx')
  app.decorateRequest('authenticated')
  app.decorateRequest('wasIncomplete', false)
  app.decorateRequest('caller', {
    getter() {
      if (this.authenticated) return this.authenticated
      throw new Error('A route without access has no caller.')
    },
  })

  app.addHook('onRoute', (route) => {
    // The answers of a workspace: without a caller there is none.
    if (route.method !== 'POST' || !route.config?.access) return
    const { idempotency: mode = 'transaction', mask = (body) => body } = route.config
    if (mode === 'none') return
    const { prepare, searches } = route.config
    const handler = route.handler as Parameters<typeof withIdempotency>[0]
    const once = withIdempotency(handler, { mode, mask, prepare })
    route.handler = (req, reply) =>
      searches?.(req) ? searchInTurn(req.ctx, () => once(req, reply)) : once(req, reply)
  })

  app.addHook('onRequest', async (req, reply) => {
    req.process = ctx
    reply.headers(commonHeaders(req.id))
    refuseMissingHost(req)
    refuseRepeatedHeaders(req)
    // Before anything of the request is looked at; the router takes an empty part for an id.
    if (req.is404 && options.showUnknownPage && isForPage(req)) return
    if (req.is404 || hasEmptyParameter(req)) throw unknownPath(app, req.url)
    const { access, door } = req.routeOptions.config
    if (door) refuseCrossSite(req)
    if (!access) return
    await letIn(req, access, door)
    reply.headers(await checkRate(access, req.caller, options.rateLimit))
    if (req.method === 'POST') readKey(req.headers['idempotency-key'])
    if (req.raw.complete === false) req.wasIncomplete = true
  })

  app.addHook('preParsing', async (req, reply) => {
    const { 'content-length': declared, expect = '' } = req.headers
    const isRead = !(Number(declared) > req.routeOptions.bodyLimit)
    // RFC 9110 §10.1.1: an HTTP/1.0 client knows no 100.
    if (isRead && req.raw.httpVersion !== '1.0' && /^100-continue$/i.test(expect))
      reply.raw.writeContinue()
  })

  app.addHook('preValidation', async (req) => {
    const { access, door } = req.routeOptions.config
    if (access && req.wasIncomplete) await letIn(req, access, door)
  })

  async function letIn(req: FastifyRequest, access: Access, door: Door = byKey) {
    const { shard, workspaceId } = await checkAccess(req, access, door)
    req.ctx = inWorkspace(shard ?? ctx, workspaceId)
  }

  app.addHook('onResponse', (req, reply, done) => {
    options.observe({
      request_id: req.id,
      method: req.method,
      route: req.routeOptions.url ?? 'unknown',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
      ...namesOf(req.authenticated),
    })
    done()
  })

  app.setErrorHandler(async (thrown, req, reply) => {
    const { bodyLimit } = req.routeOptions
    const refused = thrown === req.raw.errored ? brokenOff : toAppError(thrown, bodyLimit)
    const met = (isOfRequest.has(refused.status) && (await findConflict(req))) || refused
    const error = isNamedPath(app, req, met) ? unknownPath(app, req.url) : met
    const { config, log, troubles } = req.authenticated?.shard ?? ctx
    // A workspace that is being moved is no fault; the request's own line says that it had to wait.
    if (error.status >= 500 && !movingOf(error.cause)) {
      const route = req.routeOptions.url ?? 'unknown'
      const described = error.cause
        ? describeFailure(error.cause, config)
        : { code: error.code, cause: error.message }
      log.error({ request_id: req.id, route, ...described }, 'request failed')
    }
    troubles?.noteFailure(error.cause)
    if (refused.code === 'body_too_large') {
      // Closed now, the connection would break before the client has read why: what still comes is thrown
      // away, for as long as a request may take.
      reply.removeHeader('connection')
      req.raw.resume()
    }
    const answer = errorReply(error, req.id)
    return reply.code(answer.statusCode).headers(answer.headers).send(answer.body)
  })

  app.setNotFoundHandler((req, reply) => {
    if (options.showUnknownPage && isForPage(req)) return options.showUnknownPage(reply)
    throw unknownPath(app, req.url)
  })
  return app
}

/** What parameters and body are refused with: the key comes before them. */
const isOfRequest = new Set([400, 404])

/** A path with a name of its own was taken for a record's, because it does not answer this method. */
const isNamedPath = (app: FastifyInstance, { url, method }: FastifyRequest, error: AppError) =>
  error.code === 'not_found' && !methodsOf(app, url).includes(method)

/** A browser goes there, and not below what only programs call: some of them accept HTML, too. */
const isForPage = ({ method, headers, url }: FastifyRequest) =>
  method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && !/^\/+(api|app)\b/i.test(url)

const hasEmptyParameter = ({ params }: FastifyRequest) =>
  Object.values(params as Record<string, string>).includes('')

const serverOptions = (
  ctx: ProcessContext,
  observe: Observe,
  app: () => FastifyInstance,
): FastifyHttpOptions<Server> => ({
  logger: false,
  trustProxy: ctx.config.trustedProxies.length > 0 ? ctx.config.trustedProxies : false,
  http: { requireHostHeader: false },
  bodyLimit: bodyLimitBytes,
  exposeHeadRoutes: true,
  return503OnClosing: false,
  forceCloseConnections: 'idle',
  requestTimeout: 60_000,
  keepAliveTimeout: 72_000,
  routerOptions: { ignoreTrailingSlash: true, maxParamLength: 4000 },
  schemaController: schemasOfServer(),
  genReqId: (req) => {
    const given = req.headers['x-request-id']
    return typeof given === 'string' && safeRequestId.test(given) ? given : ctx.newId()
  },
  frameworkErrors: ((error: unknown, req: FastifyRequest, reply: FastifyReply) =>
    refuseUrl(observe, error, req, reply)) as NonNullable<FastifyServerOptions['frameworkErrors']>,
  clientErrorHandler: (error, socket) => refuseConnection(app(), ctx, observe, error, socket),
})

/** The error of a client that went away: nobody reads it, and nothing of ours failed. */
const brokenOff = new AppError('malformed_request', 'The request ended before its body did.')

/** Node's own refusal has no body. */
function refuseMissingHost({ headers, raw }: FastifyRequest) {
  if (headers.host !== undefined || raw.httpVersion !== '1.1') return
  throw new AppError('malformed_request', 'Send the header host.')
}

/** Two proxies may each believe another copy of a repeated header. */
function refuseRepeatedHeaders(req: FastifyRequest) {
  const seen = new Set<string>()
  const { rawHeaders } = req.raw
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]?.toLowerCase() ?? ''
    if (!onceOnly.has(name)) continue
    if (seen.has(name)) throw new AppError('malformed_request', `Send the header ${name} once.`)
    seen.add(name)
  }
}

const onceOnly = new Set([
  'host',
  'authorization',
  'x-workspace-id',
  'idempotency-key',
  'content-type',
])
