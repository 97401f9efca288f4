import { dayOf, idOf, oneOf, type Search } from '../../lib/search.ts'
import { dayRange } from '../../lib/time.ts'

/** What is looked at, as it stands in the address. */
export interface AuditFilter {
  /** What was changed: a beginning of actions, as `key.` */
  about?: (typeof subjects)[number] | undefined
  /** Who changed it: the id of a person or a key, or one of those who have none. */
  by?: string | undefined
  /** First and last day of the reader's calendar, `YYYY-MM-DD`. */
  from?: string | undefined
  to?: string | undefined
}

/** What there is to be changed, as actions begin with it. */
export const subjects = [
  'key',
  'webhook',
  'campaign',
  'lead',
  'thread',
  'mailbox',
  'suppression',
  'label',
  'member',
  'invitation',
  'workspace',
  'import',
  'send',
  'credits',
  'user',
] as const

/** Actors without a record: `operator` runs the installation, `service` is the installation itself. */
export const systemActors = ['operator', 'service'] as const

export function auditSearchOf(search: Search): AuditFilter {
  const { about, by, from, to } = search
  return {
    about: oneOf(subjects, about),
    by: idOf(by) ?? oneOf(systemActors, by),
    from: dayOf(from),
    to: dayOf(to),
  }
}

export const isSystemActor = (by: string): by is (typeof systemActors)[number] =>
  systemActors.some((each) => each === by)

/** As the server takes it: instants in place of days, the last one included. */
export function auditQueryOf({ about, by, from, to }: AuditFilter) {
  const days = dayRange(from, to)
  return {
    ...(about ? { action: `${about}.` } : {}),
    ...(by ? (isSystemActor(by) ? { actor_type: by } : { actor_id: by }) : {}),
    ...(days.from ? { from: days.from } : {}),
    ...(days.end ? { to: days.end } : {}),
  }
}
