import { type Config, imapConnectionsOfEach } from '../config.ts'
import { countWithoutUnsubscribing } from '../features/campaigns/index.ts'
import { findLinkUrl, isPublicAddress, linkAddressRemedy } from '../features/link-address/index.ts'
import { leaseKind } from '../features/mailbox-lanes/index.ts'
import {
  checkMailDomain,
  countMailboxes,
  countRemoteSenders,
  countUnreadMailboxes,
  listMailDomains,
} from '../features/mailboxes/index.ts'
import {
  countSetAside,
  findSendingHold,
  listMissingMails,
  type MissingMail,
  type SendingHold,
} from '../features/sending/index.ts'
import type { ProcessDb } from '../kernel/db/db.ts'
import { createTextLookup, type TextLookupFn } from '../kernel/outbound/index.ts'
import { countRunners } from '../kernel/runner/lease-queries.ts'
import { counted } from '../kernel/text.ts'
import { type Finding, fine, found } from './finding.ts'

/** Each is some thirty questions to name servers. */
const domainsMax = 10

/** The mailboxes and what the domains of their addresses say of themselves; nothing without mailboxes. */
export async function examineMail(
  db: ProcessDb,
  config: Config,
  keptSettings: Map<string, string>,
  lookupText: TextLookupFn = createTextLookup(),
): Promise<Finding[]> {
  const hold = await findSendingHold(db)
  const unrecorded = await countSetAside(db)
  const sending = [
    ...(hold ? [held(hold, await listMissingMails(db))] : []),
    ...(unrecorded > 0 ? [setAside(unrecorded)] : []),
  ]
  const counts = new Map((await countMailboxes(db)).map(({ status, count }) => [status, count]))
  if (counts.size === 0) return sending
  const domains = await listMailDomains(db, domainsMax)
  return [
    ...sending,
    mailboxes(counts, await countUnreadMailboxes(db)),
    ...(await reading(db, config, counts)),
    await links(db, findLinkUrl({ config, keptSettings })),
    ...(await withoutUnsubscribing(db)),
    ...(await Promise.all(domains.map((one) => domain(one, lookupText)))),
  ]
}

/** Of missing mails; the command that confirms lists all of them. */
const namedMax = 10

function held({ reason, detail: why }: SendingHold, missing: MissingMail[]): Finding {
  const names = missing
    .slice(0, namedMax)
    .map(({ lead, lead_id, campaign, mailbox }) =>
      [`to ${lead ?? lead_id}`, campaign && `of ${campaign}`, mailbox && `from ${mailbox}`]
        .filter(Boolean)
        .join(' '),
    )
  const more = missing.length > namedMax ? `, and ${missing.length - namedMax} more` : ''
  const detail = missing.length === 0 ? why : `${why} Missing: ${names.join(', ')}${more}.`
  const remedy =
    reason === 'shard_unasked'
      ? 'See "npx outrider shards list" for the shard that does not answer.'
      : 'Look what was sent since, then run "npx outrider sends confirm-restore".'
  return found('sending', 'fail', `nothing is sent: ${detail}`, remedy)
}

function setAside(count: number): Finding {
  const detail = `the database refused to record what became of ${counted(count, 'mail', 'mails')}`
  const remedy =
    'Their leads are paused. See the log for "settlement_refused", then "npx outrider sends uncertain".'
  return found('ledger', 'fail', detail, remedy)
}

function mailboxes(counts: Map<string, number>, unread: number): Finding {
  const all = [...counts].map(([status, count]) => `${count} ${status}`).join(', ')
  const detail = unread === 0 ? all : `${all}; ${unread} with follow-ups that wait until it is read`
  if (!counts.has('error') && unread > 0) {
    const wait = 'Keep a runner alive; its log says why a mailbox cannot be read.'
    return found('mailboxes', 'warn', detail, wait)
  }
  if (!counts.has('error')) return fine('mailboxes', detail)
  const remedy = 'See "npx outrider mailboxes list" for the reasons.'
  return found('mailboxes', 'warn', detail, remedy)
}

/** Nothing while no process reads: the runners are looked at elsewhere. */
async function reading(
  db: ProcessDb,
  config: Config,
  counts: Map<string, number>,
): Promise<Finding[]> {
  const readers = await countRunners(db, leaseKind, config.leaseMs)
  if (readers === 0) return []
  const connections = readers * imapConnectionsOfEach(config)
  const read = (counts.get('connected') ?? 0) + (counts.get('error') ?? 0)
  const detail = `${read} mailboxes are read over at most ${connections} IMAP connections`
  if (read <= connections) return [fine('reading', detail)]
  const late = `${detail}: they take turns, and an answer may be seen ten minutes late`
  const wanted = Math.ceil(read / readers) * (config.databaseShards.length + 1)
  const remedy = `Set IMAP_CONNECTIONS to ${wanted} or more (about 0.1 MB each), or start another runner.`
  return [found('reading', 'warn', late, remedy)]
}

async function links(db: ProcessDb, url: string): Promise<Finding> {
  const check = 'links of mails'
  if (isPublicAddress(url)) return fine(check, url)
  if ((await countRemoteSenders(db)) === 0) return fine(check, `${url}, for this machine alone`)
  const detail = `${url} reaches no recipient: mails are unsubscribed from by mail, and carry no links`
  return found(check, 'warn', detail, linkAddressRemedy)
}

async function withoutUnsubscribing(db: ProcessDb): Promise<Finding[]> {
  const [{ campaigns } = { campaigns: 0 }] = await countWithoutUnsubscribing(db)
  if (campaigns === 0) return []
  const detail = `${campaigns} active campaigns give their leads no way to unsubscribe`
  const remedy = 'Turn insert_unsubscribe_header on, or put {{unsubscribe_url}} into their texts.'
  return [found('unsubscribing', 'warn', detail, remedy)]
}

async function domain(name: string, lookupText: TextLookupFn): Promise<Finding> {
  const check = `mail of ${name}`
  const findings = await checkMailDomain({ lookupText }, name)
  const [first, ...more] = findings.filter(({ status }) => status === 'warn')
  if (!first) return fine(check, 'SPF, DKIM and DMARC found')
  const detail = [first, ...more].map((one) => `${one.record}: ${one.detail}`).join('; ')
  return found(check, 'warn', detail, first.remedy ?? '')
}
