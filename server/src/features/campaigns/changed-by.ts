import type { FastifyRequest } from 'fastify'
import { invalidField } from '../../kernel/errors.ts'
import type { ChangeOptions } from './update-campaign.ts'

/** Of a request through the application's door: the public one knows no versions. */
export function changedBy({ caller, headers, id }: FastifyRequest): ChangeOptions {
  if (caller.actor.type !== 'user') return {}
  const version = headers['if-match']
  return {
    by: { actor: caller.actor, requestId: id },
    ...(version === undefined ? {} : { seen: versionOf(version) }),
  }
}

function versionOf(header: string): Date {
  const at = new Date(/^"([^"]+)"$/.exec(header)?.[1] ?? '')
  if (!Number.isNaN(at.getTime())) return at
  throw invalidField('If-Match', 'If-Match must be the timestamp_updated that was read, in quotes')
}
