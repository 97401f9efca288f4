import type { Bounce } from '../classify/bounce.ts'
import type { Inbound } from '../classify/classify.ts'

/**
 * The bounce that a report tells of the lead. A report that names somebody else says nothing of them: a colleague who
 * got a copy, a member of the distribution list that they are, whoever their mail is passed on to.
 *
 * @param isProven it cites a mail of ours; anybody can make up another one, so that is soft at most
 */
export function reportedBounce(
  inbound: Inbound,
  lead: { email_folded: string },
  isProven: boolean,
): Bounce | undefined {
  if (inbound.kind !== 'bounce') return undefined
  const { bounces } = inbound
  const named = bounces.find(({ recipient }) => recipient === lead.email_folded)
  const isUnnamed = bounces.every(({ recipient }) => recipient === null)
  const bounce = named ?? (isUnnamed ? bounces[0] : undefined)
  return bounce && !isProven ? { ...bounce, kind: 'soft' } : bounce
}
