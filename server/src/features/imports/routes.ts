import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { AppError } from '../../kernel/errors.ts'
import { csvAnswer, csvFile, workspaceInQuery } from '../../kernel/http/csv-file.ts'
import { instantOf } from '../../kernel/http/instant.ts'
import { pageRequest } from '../../kernel/http/page.ts'
import { pageQuery, ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import {
  cancelImport,
  changeImport,
  checkImport,
  createImport,
  getImport,
  listImports,
  putPart,
  startImport,
} from './imports.ts'
import { writeReport } from './report.ts'
import { Import, ImportChange, ImportInput, ImportPage, ImportStart, partBytes } from './schema.ts'

export const importSchemas = [Import, ImportPage, ImportInput, ImportChange, ImportStart]

const tags = ['Imports']
const params = Type.Object({ id: Uuid })
/** Whatever the plan, so that an import can be looked at and ended where `api` was taken away. */
const config = { access: { scopes: [], role: 'member' as const } }
const asPlanned = { access: { ...config.access, entitlement: 'api' } }

export const importRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/imports',
    {
      config,
      schema: {
        operationId: 'listImports',
        summary: 'List imports',
        description: 'Newest first, without their first rows.',
        tags,
        querystring: Type.Object(pageQuery),
        response: { 200: ref(ImportPage) },
      },
    },
    (req) => listImports(req.ctx, req.caller.workspaceId, pageRequest(req.query)),
  )

  app.post(
    '/imports',
    {
      config: asPlanned,
      schema: {
        operationId: 'createImport',
        summary: 'Begin an import',
        description: 'Then its parts are sent, each of `part_bytes` but the last.',
        tags,
        body: ref(ImportInput),
        response: { 200: ref(Import) },
      },
    },
    (req) => createImport(req.ctx, req.caller.workspaceId, req.body, changedBy(req)),
  )

  app.get(
    '/imports/:id',
    {
      config,
      schema: {
        operationId: 'getImport',
        summary: 'How far an import is',
        description: 'With its columns and first rows, as long as it is not over.',
        tags,
        params,
        response: { 200: ref(Import) },
      },
    },
    (req) => getImport(req.ctx, req.caller.workspaceId, req.params.id),
  )

  app.patch(
    '/imports/:id',
    {
      config: asPlanned,
      schema: {
        operationId: 'changeImport',
        summary: 'Say what becomes of the columns',
        description: 'A check that was made before holds no more.',
        tags,
        params,
        body: ref(ImportChange),
        response: { 200: ref(Import) },
      },
    },
    (req) => changeImport(req.ctx, req.caller.workspaceId, req.params.id, req.body),
  )

  app.post(
    '/imports/:id/check',
    {
      config: asPlanned,
      schema: {
        operationId: 'checkImport',
        summary: 'Check an import',
        description:
          'Looks at every row and adds nothing; `checked` tells what would become of them.',
        tags,
        params,
        response: { 200: ref(Import) },
      },
    },
    (req) => checkImport(req.ctx, req.caller.workspaceId, req.params.id),
  )

  app.post(
    '/imports/:id/start',
    {
      config: asPlanned,
      schema: {
        operationId: 'startImport',
        summary: 'Import the leads',
        description:
          'By a runner; the page may be closed. Where somebody else has changed it since it was seen, a 409 `version_conflict`.',
        tags,
        params,
        body: ref(ImportStart),
        response: { 200: ref(Import) },
      },
    },
    (req) =>
      startImport(req.ctx, req.caller.workspaceId, req.params.id, {
        by: changedBy(req),
        seen: instantOf('/seen_timestamp_updated', req.body.seen_timestamp_updated),
      }),
  )

  app.post(
    '/imports/:id/cancel',
    {
      config,
      schema: {
        operationId: 'cancelImport',
        summary: 'Cancel an import',
        description: 'Leads that were added stay; the file goes.',
        tags,
        params,
        response: { 200: ref(Import) },
      },
    },
    (req) => cancelImport(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req)),
  )

  app.get(
    '/imports/:id/report.csv',
    {
      config,
      schema: {
        operationId: 'downloadImportReport',
        summary: 'Download the rows that made no lead',
        description: 'Each with the reason.',
        tags,
        params,
        querystring: Type.Object(workspaceInQuery),
        response: csvAnswer,
      },
    },
    async (req, reply) => {
      const lines = await writeReport(req.ctx, req.caller.workspaceId, req.params.id)
      return csvFile(reply, 'import-report', lines)
    },
  )

  await app.register(partRoutes)
}

/** Parts are bytes and no JSON. */
const partRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer' },
    async (_req: FastifyRequest, body: Buffer) => body,
  )
  app.put(
    '/imports/:id/parts/:number',
    {
      config: asPlanned,
      bodyLimit: partBytes,
      schema: {
        operationId: 'putImportPart',
        summary: 'Send a part of the file',
        description:
          'Counted from 1. The answer to the first has the columns and what they may be, or is `failed` with what to do when the file is none with columns.',
        tags,
        params: Type.Object({ id: Uuid, number: Type.Integer({ minimum: 1, maximum: 1000 }) }),
        body: {
          content: {
            'application/octet-stream': {
              schema: Type.Unsafe<unknown>({
                'x-document': { type: 'string', format: 'binary' },
              }),
            },
          },
        },
        response: { 200: ref(Import) },
      },
    },
    (req) => {
      const { id, number } = req.params
      if (Buffer.isBuffer(req.body)) {
        return putPart(
          req.ctx,
          req.caller.workspaceId,
          id,
          { number, content: req.body },
          changedBy(req),
        )
      }
      throw new AppError('unsupported_media_type', 'Send the part as application/octet-stream.')
    },
  )
}
