import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'

/** What a route answers that lets a file of rows be downloaded. */
export const csvAnswer = { 200: { content: { 'text/csv': { schema: Type.String() } } } }

/** A link to a file has no header that could name the workspace. */
export const workspaceInQuery = {
  workspace: Type.Optional(Type.String({ description: 'In place of X-Workspace-ID.' })),
}

/** What the route's handler returns. */
export function csvFile(
  reply: Pick<FastifyReply, 'header' | 'type'>,
  name: string,
  pieces: AsyncIterable<string>,
) {
  reply.header('content-disposition', `attachment; filename="${name}.csv"`)
  reply.type('text/csv; charset=utf-8')
  // A stream, which no serialiser looks at.
  return Readable.from(pieces) as never
}
