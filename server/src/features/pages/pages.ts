import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AppError } from '../../kernel/errors.ts'
import { packageFile } from '../../kernel/own-files.ts'
import { framePolicy, policy } from './policy.ts'

/** Where the build of the browser application lies. */
const built = fileURLToPath(packageFile('application/'))

/** As mail programs show a mail that names no font. */
const mailFrame =
  '<!doctype html><html lang="en"><title>Mail</title>' +
  '<style>body{margin:16px;font:14px/1.5 sans-serif}</style><body></body></html>'

/** Every address that is a page of the application; what lies behind it is the browser's affair. */
const pages = [
  ...[
    '/',
    '/w/*',
    '/sign-in',
    '/set-up',
    '/invitation',
    '/reset',
    '/account',
    '/account/*',
    '/consent',
  ],
]

/**
 * The browser application: one document for all of its pages, and its files. Without a build the API
 * works as ever, and the pages say what is missing.
 *
 * @param folder with index.html, color-scheme.js and assets/, each file of those with .br and .gz, and
 * perhaps earlier/: assets of builds before, which open pages may still ask for
 */
export async function pageRoutes(
  app: FastifyInstance,
  { folder = built }: { folder?: string } = {},
): Promise<void> {
  const files = createReader(folder)
  for (const url of pages) {
    app.get(url, { schema: { hide: true } }, async (_req, reply) =>
      sendPage(reply, await files('index.html')),
    )
  }

  app.get('/color-scheme.js', { schema: { hide: true } }, async (_req, reply) => {
    const script = await files('color-scheme.js')
    reply.headers({ 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-cache' })
    reply.header('x-content-type-options', 'nosniff')
    return script
  })

  app.get('/mail-frame', { schema: { hide: true } }, async (_req, reply) => {
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'content-security-policy': framePolicy,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
    })
    return mailFrame
  })

  await app.register(fastifyStatic, {
    root: [`${folder}assets/`, ...[`${folder}earlier/`].filter((each) => existsSync(each))],
    prefix: '/assets/',
    // Their names hold a digest of what is in them.
    immutable: true,
    maxAge: '1y',
    preCompressed: true,
    decorateReply: false,
    index: false,
    schemaHide: true,
    setHeaders: (reply) => void reply.header('x-content-type-options', 'nosniff'),
  })
}

/** The document as well: it shows by itself that there is no such page. */
export function createUnknownPage(folder = built) {
  const files = createReader(folder)
  return async (reply: FastifyReply) => sendPage(reply.code(404), await files('index.html'))
}

/** Each file is read once: another build needs another start. */
function createReader(folder: string) {
  const texts = new Map<string, string>()
  return async (name: string): Promise<string> => {
    const known = texts.get(name)
    if (known !== undefined) return known
    const text = await readFile(`${folder}${name}`, 'utf8').catch(() => {
      throw notBuilt()
    })
    texts.set(name, text)
    return text
  }
}

const notBuilt = () =>
  new AppError(
    'unknown_path',
    'The browser application is not built here: run "npm start", which builds it. The API works without it.',
  )

function sendPage(reply: FastifyReply, document: string): string {
  const nonce = randomBytes(18).toString('base64url')
  reply.headers({
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy(nonce),
    'cross-origin-opener-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=()',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  })
  return document.replaceAll('%NONCE%', nonce)
}
