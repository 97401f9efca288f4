import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { readLines } from '../../kernel/csv/read-lines.ts'
import { AppError } from '../../kernel/errors.ts'
import { ref } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { suppressionReasons } from '../suppression/index.ts'
import { importSuppressions } from './import.ts'
import { ImportedSuppressions } from './schema.ts'

export const suppressionImportSchemas = [ImportedSuppressions]

/** What arrives within a minute, after which the server ends a request. */
const importBytesMax = 8 * 1024 * 1024

/** A list is read as a stream: it may be longer than what is kept in memory for a request. */
export const suppressionImportRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.addContentTypeParser('text/csv', (_req, payload, done) => done(null, payload))
  app.post(
    '/suppressions/import',
    {
      // What is imported twice is known the second time.
      config: { access: { scopes: [], role: 'admin' }, idempotency: 'none' },
      schema: {
        operationId: 'importSuppressions',
        summary: 'Import a list',
        description:
          'One address or domain to a line, the first field of CSV; a field that is a reason or a time counts for its line. The hash of somebody who was erased also unsubscribes their leads here.',
        tags: ['Suppression'],
        querystring: Type.Object({
          reason: Type.Optional(
            Type.Enum(suppressionReasons, {
              description: 'Of lines that give none; `blocked`, if it is not given.',
            }),
          ),
        }),
        response: { 200: ref(ImportedSuppressions) },
      },
    },
    async (req) => {
      const { ctx, caller, query, body } = req
      if (body !== undefined && !(body instanceof Readable)) throw notCsv()
      const list = readLines(bounded((body as Readable | undefined) ?? Readable.from([])))
      const usual = query.reason ?? 'blocked'
      return importSuppressions(ctx, caller.workspaceId, list, usual, changedBy(req))
    },
  )
}

const notCsv = () => new AppError('unsupported_media_type', 'Send the list as text/csv.')

/** Fastify bounds only bodies that it reads itself. */
async function* bounded(body: Readable): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > importBytesMax) throw tooLarge()
    yield piece
  }
}

const tooLarge = () =>
  new AppError(
    'body_too_large',
    'The list is larger than 8 MB. What it begins with was imported: send the rest in requests of its own.',
  )
