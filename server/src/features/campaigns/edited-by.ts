import type { FastifyRequest } from 'fastify'
import { invalidField } from '../../kernel/errors.ts'
import { changedBy } from '../audit/index.ts'

/** Who edits, and the version that they saw. The public door knows no versions. */
export function editedBy(req: FastifyRequest) {
  const version = req.caller.actor.type === 'user' ? req.headers['if-match'] : undefined
  return { by: changedBy(req), ...(version === undefined ? {} : { seen: versionOf(version) }) }
}

function versionOf(header: string): Date {
  const at = new Date(/^"([^"]+)"$/.exec(header)?.[1] ?? '')
  if (!Number.isNaN(at.getTime())) return at
  throw invalidField('If-Match', 'If-Match must be the timestamp_updated that was read, in quotes')
}
