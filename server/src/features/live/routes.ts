import type { ServerResponse } from 'node:http'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../../kernel/errors.ts'
import { Hub, type ListenForChanges } from './hub.ts'

/** Shorter than the usual proxies wait. */
const beatEveryMs = 20_000
/** A minute. */
const beatsBetweenChecks = 3
/** A browser has one, however many tabs show the workspace. */
const pagesOfPersonMax = 50
/** Of a reader that has stopped reading: it is let go, and reads everything when it is back. */
const unreadBytesMax = 64 * 1024
/** Pages that are too many read by themselves meanwhile, about as often as this. */
const fullAgainMinS = 30
const fullAgainMaxS = 60

/**
 * What has changed, told to open pages by topic while it happens.
 *
 * @param listen undefined: this process hears nothing of others, and pages ask by themselves
 */
export const liveRoutes: FastifyPluginAsyncTypebox<{
  listen?: ListenForChanges | undefined
}> = async (app, { listen }) => {
  const hub = listen && new Hub(listen)
  // Else a stop would wait for streams that never end.
  app.addHook('preClose', async () => hub?.close())

  app.get(
    '/live',
    {
      exposeHeadRoute: false,
      config: { access: { scopes: [], role: 'viewer' } },
      schema: { hide: true, querystring: Type.Object({ workspace: Type.String() }) },
    },
    async (req, reply) => {
      // With 204 a browser does not come back by itself.
      if (!hub) return reply.code(204).send()
      const { workspaceId, actor } = req.caller
      await hub.listen()
      // Nothing is awaited from here until it has joined: many that come at once are counted one by one.
      if (hub.countOf(actor.id) >= pagesOfPersonMax) {
        throw tooManyPages(req.process.random())
      }
      // Nothing tells of the end of one that has left already.
      if (req.raw.socket.destroyed) return reply.hijack()
      const stream = openStream(req, reply)
      const ended = new AbortController()
      const end = () => {
        ended.abort()
        stream.end()
      }
      const check = () => void mayStay(req).then((may) => may || end())
      const tell = (topics: string[]) => write(stream, `data: ${JSON.stringify({ topics })}\n\n`)
      const leave = hub.join({ ...{ workspaceId, userId: actor.id }, tell, check, end })
      stream.on('close', () => {
        ended.abort()
        leave()
      })
      // What changed before is in no message that comes now.
      tell(['*'])
      void keepAlive(req, stream, check, ended.signal)
      return reply
    },
  )
}

/** Room is made when a person closes a page, which takes a while; those that wait do not come all at once. */
function tooManyPages(random: number) {
  const seconds = fullAgainMinS + Math.floor(random * (fullAgainMaxS - fullAgainMinS + 1))
  return new AppError('rate_limited', 'Too many pages are open; close some of them.', {
    headers: { 'retry-after': String(seconds) },
  })
}

function openStream(req: FastifyRequest, reply: FastifyReply): ServerResponse {
  reply.hijack()
  const stream = reply.raw
  stream.on('error', () => undefined)
  stream.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-request-id': req.id,
  })
  stream.write('retry: 2000\n\n')
  return stream
}

function write(stream: ServerResponse, text: string) {
  if (stream.writableEnded) return
  if (stream.writableLength > unreadBytesMax) stream.destroy()
  else stream.write(text)
}

async function keepAlive(
  { process: ctx }: FastifyRequest,
  stream: ServerResponse,
  check: () => void,
  signal: AbortSignal,
) {
  for (let beats = 1; ; beats++) {
    await ctx.sleep(beatEveryMs, signal)
    if (signal.aborted) return
    write(stream, ':\n\n')
    if (beats % beatsBetweenChecks === 0) check()
  }
}

/** Whether who opened the stream would still be let in; true while nobody can tell. */
async function mayStay(req: FastifyRequest): Promise<boolean> {
  return await Promise.resolve(req.routeOptions.config.door?.(req)).then(
    () => true,
    (error) => !(error instanceof AppError) || error.status >= 500,
  )
}
