import type { CountedCampaignDay, CountedDay } from '../../daily-counts/index.ts'
import type { ClaimRequest } from '../ledger.ts'

/** What tells where a mail is counted. */
export type Counted = Pick<
  ClaimRequest,
  'workspace_id' | 'campaign_id' | 'campaign_day' | 'mailbox_id' | 'mailbox_day' | 'is_new'
>

/** The days that these mails are counted in, in the order in which they are locked. */
export function countDays(mails: Counted[]): {
  campaigns: CountedCampaignDay[]
  mailboxes: CountedDay[]
} {
  const campaigns = new Map<string, CountedCampaignDay>()
  const mailboxes = new Map<string, CountedDay>()
  for (const {
    workspace_id,
    campaign_id,
    campaign_day,
    mailbox_id,
    mailbox_day,
    is_new,
  } of mails) {
    const campaign = entry(campaigns, `${workspace_id}${campaign_id}${campaign_day}`, () => ({
      ...{ workspace_id, id: campaign_id, day: campaign_day, sent: 0, new_leads: 0 },
    }))
    campaign.sent += 1
    campaign.new_leads += Number(is_new)
    const mailbox = entry(mailboxes, `${workspace_id}${mailbox_id}${mailbox_day}`, () => ({
      ...{ workspace_id, id: mailbox_id, day: mailbox_day, sent: 0 },
    }))
    mailbox.sent += 1
  }
  return { campaigns: inOrder(campaigns), mailboxes: inOrder(mailboxes) }
}

function entry<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const found = map.get(key) ?? make()
  map.set(key, found)
  return found
}

const inOrder = <Value>(map: Map<string, Value>): Value[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value)
