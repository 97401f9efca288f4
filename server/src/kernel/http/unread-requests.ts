import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ProcessContext } from '../context.ts'
import { namesOf, type Observe } from './answered-request.ts'
import { commonHeaders, errorReply, toAppError } from './error-reply.ts'
import { unknownPath } from './route-table.ts'

/** A URL that does not decode reaches no hook and no error handler. */
export function refuseUrl(
  observe: Observe,
  error: unknown,
  req: FastifyRequest,
  reply: FastifyReply,
) {
  const { statusCode, body } = errorReply(toAppError(error), req.id)
  observe({ ...unread, request_id: req.id, method: req.method, status: statusCode })
  return reply.code(statusCode).headers(commonHeaders(req.id)).send(body)
}

/**
 * Node alone would ask for every body, answer an expectation it does not know without one, and a CONNECT
 * not at all.
 */
export function answerWhatNodeWould(app: FastifyInstance, ctx: ProcessContext, observe: Observe) {
  const { server } = app
  server.on('checkContinue', (req, res) => server.emit('request', req, res))
  server.on('checkExpectation', (req, res) => server.emit('request', req, res))
  server.on('connect', (_req, socket: Socket) =>
    refuseConnection(app, ctx, observe, new Error('CONNECT'), socket),
  )
}

/** What Node's parser refuses never reaches a route; it gets the same body (contract §1). */
export function refuseConnection(
  app: FastifyInstance,
  ctx: ProcessContext,
  observe: Observe,
  error: NodeJS.ErrnoException,
  socket: Socket,
) {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const url = urlOfUnknownMethod(error)
  const refused = url
    ? unknownPath(app, url)
    : toAppError(Object.assign(error, { statusCode: 400 }))
  const requestId = ctx.newId()
  const { body, statusCode, headers } = errorReply(refused, requestId)
  observe({ ...unread, request_id: requestId, method: 'unknown', status: statusCode })
  const text = JSON.stringify(body)
  const lines = Object.entries({
    ...headers,
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const status = `${statusCode} ${STATUS_CODES[statusCode]}`
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${text}`)
  // Node tells of a request that is too slow once, and reads on for as long as somebody sends: the answer
  // gets time to be read, and no more.
  const closed = new AbortController()
  socket.once('close', () => closed.abort())
  void ctx.sleep(lingerMs, closed.signal).then(() => socket.destroy())
}

const lingerMs = 5_000

/** What is told of a request that was refused before there was a route or a caller. */
const unread = { route: 'unknown', ms: 0, ...namesOf(undefined) }

/** Node's parser knows a list of methods; a path with any other is like one with the wrong one. */
function urlOfUnknownMethod(error: NodeJS.ErrnoException & { rawPacket?: Buffer }) {
  if (error.code !== 'HPE_INVALID_METHOD') return undefined
  const head = error.rawPacket?.subarray(0, 4096).toString('latin1') ?? ''
  return /^[!#$%&'*+.^_`|~\w-]+ (\/[\x21-\x7e]*) HTTP\/1\.[01]\r\n/.exec(head)?.[1]
}
