import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { enterWorkspace } from '../../kernel/context.ts'
import { movingOf } from '../../kernel/db/failure.ts'
import { toAppError } from '../../kernel/http/error-reply.ts'
import { describeError } from '../../kernel/log.ts'
import { askPage, badLinkPage, donePage, faultPage, type Page, pageHeaders } from './pages.ts'
import { recordVisit } from './record-visit.ts'
import type { Token, TokenBox, TokenKind } from './token.ts'
import { unsubscribeOrKeep } from './waiting.ts'
import { wordsFor } from './words.ts'

type Visitor = FastifyRequest<{ Params: { token: string } }>

/**
 * Where the links of mails lead: for people and their mail programs, without a key and outside of
 * the API document. What is no token of ours costs a look at its signature and no more.
 */
export async function trackingRoutes(app: FastifyInstance, { tokens }: { tokens: TokenBox }) {
  app.removeAllContentTypeParsers()
  // A one-click POST has a body that says what its path says already (RFC 8058 §3.1).
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 16 * 1024 }, (_req, _body, done) =>
    done(null, undefined),
  )
  app.setErrorHandler((thrown, req, reply) => {
    const error = toAppError(thrown)
    if (error.status >= 500) logFault(req, error.cause)
    return show(reply.headers(error.headers), faultPage(error.status, wordsOf(req)))
  })
  const hidden = { schema: { hide: true } }

  app.get('/u/:token', hidden, async (req: Visitor, reply) => {
    const token = read(req, 'unsubscribe')
    const words = wordsOf(req)
    return show(reply, token ? askPage(token.text, words) : badLinkPage(words))
  })

  app.post('/u/:token', hidden, async (req: Visitor, reply) => {
    const token = read(req, 'unsubscribe')
    const isKnown = token && (await unsubscribeOrKeep(req.process, token))
    return show(reply, isKnown ? donePage(token.text, wordsOf(req)) : badLinkPage(wordsOf(req)))
  })

  app.get('/o/:token', hidden, async (req: Visitor, reply) => {
    const token = read(req, 'open')
    if (!token) return show(reply, badLinkPage(wordsOf(req)))
    await tryToRecord(req, 'open', token)
    return reply.type('image/gif').send(image)
  })

  app.get('/c/:token', hidden, async (req: Visitor, reply) => {
    const token = read(req, 'click')
    const target = token && URL.parse(token.text)
    if (!target || !/^https?:$/.test(target.protocol)) return show(reply, badLinkPage(wordsOf(req)))
    await tryToRecord(req, 'click', token)
    return reply.header('referrer-policy', 'no-referrer').redirect(target.href, 302)
  })

  function read({ params }: Visitor, kind: TokenKind): Token | undefined {
    const token = tokens.read(params.token.replace(/\.gif$/, ''))
    return token?.kind === kind ? token : undefined
  }
}

const wordsOf = (req: FastifyRequest) => wordsFor(req.headers['accept-language'])

/** One pixel, transparent. */
const image = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

const show = (reply: FastifyReply, { status, html }: Page) =>
  reply.code(status).headers(pageHeaders).send(html)

/** Who follows a link gets there, also when it cannot be written down. */
async function tryToRecord(req: Visitor, kind: 'open' | 'click', token: Token) {
  try {
    await recordVisit(await enterWorkspace(req.process, token.workspaceId), kind, token, req)
  } catch (error) {
    logFault(req, error)
  }
}

function logFault({ process, id, routeOptions }: FastifyRequest, error: unknown) {
  if (movingOf(error)) return
  const route = routeOptions.url ?? 'unknown'
  process.log.error({ request_id: id, route, ...describeError(error) }, 'request failed')
}
