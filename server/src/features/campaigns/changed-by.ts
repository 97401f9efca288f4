import type { FastifyRequest } from 'fastify'
import { invalidField } from '../../kernel/errors.ts'

/** Of a request. The public door knows no versions. */
export function changedBy({ caller, headers, id }: FastifyRequest) {
  const by = { actor: caller.actor, requestId: id }
  const version = caller.actor.type === 'user' ? headers['if-match'] : undefined
  return { by, ...(version === undefined ? {} : { seen: versionOf(version) }) }
}

function versionOf(header: string): Date {
  const at = new Date(/^"([^"]+)"$/.exec(header)?.[1] ?? '')
  if (!Number.isNaN(at.getTime())) return at
  throw invalidField('If-Match', 'If-Match must be the timestamp_updated that was read, in quotes')
}
