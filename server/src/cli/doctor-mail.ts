import { checkMailDomain, countMailboxes, listMailDomains } from '../features/mailboxes/index.ts'
import { findSendingHold } from '../features/sending/index.ts'
import type { Db } from '../kernel/db/db.ts'
import { createTextLookup, type TextLookupFn } from '../kernel/outbound/index.ts'
import { type Finding, fine, found } from './finding.ts'

/** Each is some thirty questions to name servers. */
const domainsMax = 10

/** The mailboxes and what the domains of their addresses say of themselves; nothing without mailboxes. */
export async function examineMail(
  db: Db,
  lookupText: TextLookupFn = createTextLookup(),
): Promise<Finding[]> {
  const hold = await findSendingHold(db)
  const sending = hold ? [held(hold.detail)] : []
  const counts = new Map((await countMailboxes(db)).map(({ status, count }) => [status, count]))
  if (counts.size === 0) return sending
  const domains = await listMailDomains(db, domainsMax)
  return [
    ...sending,
    mailboxes(counts),
    ...(await Promise.all(domains.map((one) => domain(one, lookupText)))),
  ]
}

function held(detail: string): Finding {
  const remedy = 'Look what was sent since, then run "npx outrider sends confirm-restore".'
  return found('sending', 'fail', `nothing is sent: ${detail}`, remedy)
}

function mailboxes(counts: Map<string, number>): Finding {
  const detail = [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
  if (!counts.has('error')) return fine('mailboxes', detail)
  const remedy = 'See "npx outrider mailboxes list" for the reasons.'
  return found('mailboxes', 'warn', detail, remedy)
}

async function domain(name: string, lookupText: TextLookupFn): Promise<Finding> {
  const check = `mail of ${name}`
  const findings = await checkMailDomain({ lookupText }, name)
  const [first, ...more] = findings.filter(({ status }) => status === 'warn')
  if (!first) return fine(check, 'SPF, DKIM and DMARC found')
  const detail = [first, ...more].map((one) => `${one.record}: ${one.detail}`).join('; ')
  return found(check, 'warn', detail, first.remedy ?? '')
}
