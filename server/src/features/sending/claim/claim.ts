import type { ProcessContext } from '../../../kernel/context.ts'
import { addToDays, type Day, lockCampaignDays, lockMailboxDays } from '../../daily-counts/index.ts'
import { holdLanes } from '../../mailbox-lanes/index.ts'
import { type Claim, type ClaimRequest, compareKeys, type EarlierSend } from '../ledger.ts'
import * as queries from './claim-queries.ts'
import { countDays } from './days.ts'

/** A request that nothing speaks against, with what was read for it. */
interface Offer {
  request: ClaimRequest
  row: queries.Sendable
}

/**
 * Claims what the plan of many lanes says is to be sent now, in one transaction: everything that
 * could speak against a mail is looked at again, the limits of its days are reserved, and its row is
 * in the ledger. Run again after a COMMIT whose answer never came, it answers the same.
 *
 * Claims lock days, lanes and sends in this order, each by its key. Settlements begin with sends, but a
 * claim takes none that is open: it never waits for a row that one of them holds.
 *
 * @param seen by this process: the database's highest epoch, and since when readings of mailboxes count;
 *   `suspect` hears that nothing may be claimed here
 * @returns in the order of the requests; null: not now, plan again
 */
export async function claimSends(
  tx: ProcessContext,
  requests: ClaimRequest[],
  seen: { epoch: number; readSince: Date; suspect?: () => void },
): Promise<(Claim | null)[]> {
  const now = tx.now()
  const rows = await queries.findSendable(tx.db, requests, now, seen)
  if (rows.some(({ allowed }) => !allowed)) {
    seen.suspect?.()
    return requests.map(() => null)
  }
  const offers = rows.map((row) => ({
    request: requests[row.position - 1] as ClaimRequest,
    row,
  }))
  const mine = [
    ...offers.filter(
      ({ request, row }) => row.attempt_id === request.id && row.state === 'claimed',
    ),
    ...(await findOwn(tx, requests, rows)),
  ]
  const free = offers.filter(
    ({ request, row }) =>
      row.state === null || (row.state === 'failed' && row.attempt_id !== request.id),
  )
  const claimed = await write(tx, await grant(tx, free), now)
  const taken = [...mine, ...claimed]
  const earlier = await findEarlier(tx, taken)
  const claims = new Map(
    taken.map(({ request, row }) => [request, claimOf({ request, row }, earlier)]),
  )
  return requests.map((request) => claims.get(request) ?? null)
}

/**
 * What was claimed by a COMMIT whose answer never came, and is not to be sent any more: it is still
 * this lane's to give back, as its mark will be refused.
 */
async function findOwn(
  tx: ProcessContext,
  requests: ClaimRequest[],
  sendable: queries.Sendable[],
): Promise<Offer[]> {
  const known = new Set(sendable.map(({ position }) => position))
  const others = requests.filter((_, index) => !known.has(index + 1))
  if (others.length === 0) return []
  const rows = await queries.findOwnClaims(tx.db, others)
  return rows.map((row) => ({ request: others[row.position - 1] as ClaimRequest, row }))
}

/** Grants as many offers as the days' limits and the lanes' leases allow, first come first served. */
async function grant(tx: ProcessContext, offers: Offer[]): Promise<Offer[]> {
  if (offers.length === 0) return []
  const requests = offers.map(({ request }) => request)
  const days = await lockDays(tx, requests)
  const lanes = await holdLanes(tx.db, lanesOf(requests))
  return offers.filter(({ request, row }) => {
    const mailboxDay = days.mailboxes.get(`${request.mailbox_id} ${request.mailbox_day}`)
    const campaignDay = days.campaigns.get(`${request.campaign_id} ${request.campaign_day}`)
    if (!mailboxDay || !campaignDay || !lanes.has(request.mailbox_id)) return false
    const newLeads = Number(request.is_new)
    const fits =
      mailboxDay.sent < request.mailbox_limit &&
      campaignDay.sent < (row.daily_limit ?? Number.POSITIVE_INFINITY) &&
      (newLeads === 0 || campaignDay.new_leads < (row.daily_max_leads ?? Number.POSITIVE_INFINITY))
    if (!fits) return false
    mailboxDay.sent += 1
    campaignDay.sent += 1
    campaignDay.new_leads += newLeads
    return true
  })
}

async function lockDays(tx: ProcessContext, requests: ClaimRequest[]) {
  const { campaigns, mailboxes } = countDays(requests)
  const byKey = <Counted extends Day>(days: Counted[]) =>
    new Map(days.map((day) => [`${day.id} ${day.day}`, day]))
  return {
    campaigns: byKey(await lockCampaignDays(tx.db, campaigns)),
    mailboxes: byKey(await lockMailboxDays(tx.db, mailboxes)),
  }
}

const lanesOf = (requests: ClaimRequest[]) =>
  [...new Map(requests.map((request) => [request.mailbox_id, request])).values()].sort((a, b) =>
    `${a.workspace_id}${a.mailbox_id}` < `${b.workspace_id}${b.mailbox_id}` ? -1 : 1,
  )

async function write(tx: ProcessContext, offers: Offer[], now: Date): Promise<Offer[]> {
  const ordered = offers.toSorted((a, b) => compareKeys(a.request, b.request))
  const requestsIn = (state: Offer['row']['state']) =>
    ordered.filter(({ row }) => row.state === state).map(({ request }) => request)
  const written = new Set([
    ...(await queries.insertClaims(tx.db, requestsIn(null), now)),
    ...(await queries.retakeClaims(tx.db, requestsIn('failed'), now)),
  ])
  const claimed = offers.filter(({ request }) => written.has(request.id))
  if (claimed.length === 0) return []
  const { campaigns, mailboxes } = countDays(claimed.map(({ request }) => request))
  await addToDays(tx.db, campaigns, mailboxes)
  return claimed
}

async function findEarlier(
  tx: ProcessContext,
  offers: Offer[],
): Promise<Map<string, EarlierSend[]>> {
  const followUps = offers.map(({ request }) => request).filter(({ is_new }) => !is_new)
  if (followUps.length === 0) return new Map()
  return Map.groupBy(await queries.findEarlier(tx.db, followUps), (row) => row.lead_id)
}

function claimOf({ request, row }: Offer, earlier: Map<string, EarlierSend[]>): Claim {
  const { position, daily_limit, daily_max_leads, state, attempt_id, attempt, allowed, ...lead } =
    row
  const attempts = attempt ?? 0
  return {
    ...request,
    attempt: attempt_id === request.id ? attempts : attempts + 1,
    lead,
    earlier: earlier.get(row.id) ?? [],
  }
}
