import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import helmet from '@fastify/helmet'
import Fastify, { type FastifyInstance } from 'fastify'

/**
 * The API reference at /docs, drawn in the browser from /openapi.json. Everything comes from this
 * server, and the page may reach nothing else.
 */
export async function docsRoutes(app: FastifyInstance) {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: contentSecurityPolicy },
    // Whether the host is reached by HTTPS alone is for the operator to say.
    strictTransportSecurity: false,
  })
  let script: Promise<Buffer> | undefined

  app.get('/docs', { schema: { hide: true } }, async (_req, reply) => {
    reply.type('text/html; charset=utf-8')
    return page
  })

  app.get(scriptPath, { schema: { hide: true } }, async (_req, reply) => {
    script ??= loadScript()
    reply.type('text/javascript; charset=utf-8')
    reply.headers({ 'content-encoding': 'gzip', 'cache-control': 'public, max-age=3600' })
    return await script
  })
}

const scriptPath = '/docs/reference.js'

/** Scalar sets styles from its script. */
const contentSecurityPolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
}

/** Requests are not sent from here: a key does not belong into a browser. */
const settings = {
  theme: 'default',
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideTestRequestButton: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  orderSchemaPropertiesBy: 'preserve',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  metaData: { title: 'Outrider API' },
}

const attribute = (text: string) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>API reference</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <noscript>This page needs JavaScript. The API is described in <a href="/openapi.json">openapi.json</a> too.</noscript>
    <script id="api-reference" data-url="/openapi.json" data-configuration="${attribute(JSON.stringify(settings))}"></script>
    <script src="${scriptPath}"></script>
  </body>
</html>
`

/**
 * Scalar is 4 MB of script and takes 40 MB to load, so that is left until somebody looks. Its plugin
 * is asked for the script only: its page starts by an inline script, which the policy forbids.
 */
async function loadScript(): Promise<Buffer> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const host = Fastify()
  await host.register(scalar, { routePrefix: '/docs', configuration: { url: '/openapi.json' } })
  const { rawPayload } = await host.inject('/docs/js/scalar.js')
  await host.close()
  return await promisify(gzip)(rawPayload)
}
