import { readFile } from 'node:fs/promises'
import type { FastifyInstance } from 'fastify'
import type { Config } from '../../config.ts'

interface OpenApiOptions {
  /** The committed document, which `npm run openapi` writes. */
  file: URL
  config: Pick<Config, 'baseUrl' | 'apiUrl'>
}

/** /openapi.json: the committed document with the addresses of this installation. */
export async function openApiRoute(app: FastifyInstance, { file, config }: OpenApiOptions) {
  let document: Promise<string> | undefined
  app.get('/openapi.json', { schema: { hide: true } }, async (_req, reply) => {
    document ??= readFile(file, 'utf8').then((text) => withAddresses(text, config))
    reply.type('application/json; charset=utf-8')
    return await document
  })
}

interface Servers {
  servers?: { url: string }[]
}

/**
 * A path that names a server of its own is served at API_URL, all others at BASE_URL. Where both are
 * the same, no path names one: clients made from the document would call it even after they were
 * told another address.
 */
function withAddresses(text: string, { baseUrl, apiUrl }: OpenApiOptions['config']): string {
  const document = JSON.parse(text) as Servers & { paths: Record<string, Servers> }
  document.servers = [{ url: baseUrl }]
  for (const item of Object.values(document.paths)) {
    if (apiUrl === baseUrl) delete item.servers
    else if (item.servers) item.servers = [{ url: apiUrl }]
  }
  return JSON.stringify(document)
}
