import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../errors.ts'
import { isRecord } from '../json/is-record.ts'
import { JsonError, parseJson, parseJsonInTurns } from '../json/strict-json.ts'

/** Reads JSON objects only (contract §1 "Bodies"). Replaces Fastify's parsers. */
export function acceptJsonBodies(app: FastifyInstance) {
  app.addHook('onRequest', async (req) => forgetEmptyType(req))
  app.addHook('preValidation', async (req) => {
    // Where nothing in it is needed it may be missing, and else what is needed is named.
    if (req.routeOptions.schema?.body) req.body ??= {}
  })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>(
    '*',
    { parseAs: 'buffer' },
    (req: FastifyRequest, body: Buffer) => readBody(req.method, req.headers, body),
  )
}

/**
 * Clients without a body to send name its type all the same, as `undefined`. Fastify judges that before a
 * parser is asked, and refuses it.
 */
function forgetEmptyType({ method, headers }: FastifyRequest) {
  const { 'content-type': type = '', 'content-length': length = '0' } = headers
  const isEmpty = headers['transfer-encoding'] === undefined && Number(length) === 0
  if ((isEmpty || method === 'DELETE') && !type.includes('/')) delete headers['content-type']
}

/** Reading it takes tens of milliseconds, in which the process answers nobody else. */
const largeBytes = 512 * 1024

async function readBody(
  method: string,
  headers: Record<string, string | string[] | undefined>,
  body: Buffer,
): Promise<unknown> {
  if (method === 'DELETE' || method === 'GET' || method === 'HEAD' || body.length === 0) return
  if (!isUtf8Json(String(headers['content-type'] ?? 'application/json'))) {
    throw new AppError('unsupported_media_type', 'Send the body as application/json in UTF-8.')
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    throw new AppError('unsupported_media_type', 'Send the body without a Content-Encoding.')
  }
  // Node takes the chunks apart and leaves what is in them as it came.
  if (String(headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked') {
    throw new AppError(
      'unsupported_media_type',
      'Send the body without a Transfer-Encoding but chunked.',
    )
  }
  const value = await parse(body)
  if (isRecord(value)) return value
  throw new AppError('invalid_json', 'The body must be a JSON object.')
}

async function parse(body: Buffer): Promise<unknown> {
  try {
    return body.length > largeBytes ? await parseJsonInTurns(body) : parseJson(body)
  } catch (error) {
    if (error instanceof JsonError) throw new AppError('invalid_json', error.message)
    throw error
  }
}

function isUtf8Json(contentType: string): boolean {
  const [type = '', ...parameters] = contentType.split(';').map((part) => part.trim().toLowerCase())
  if (type !== 'application/json' && !/^application\/[\w.-]+\+json$/.test(type)) return false
  const charset = parameters.find((parameter) => parameter.startsWith('charset='))?.slice(8)
  return charset === undefined || /^"?utf-?8"?$/.test(charset)
}
