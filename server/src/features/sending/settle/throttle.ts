import type { AnyContext } from '../../../kernel/context.ts'
import { type PacedLane, paceLanes } from '../../mailbox-lanes/index.ts'
import type { CachedCampaign } from '../next-mail/campaign-cache.ts'
import { gapAfter } from '../planning/plan.ts'
import type { Transition } from '../transmit/outcome.ts'
import type { LedgerRow } from './settle-queries.ts'
import { type Settled, type Settlement, sentAt } from './settlement.ts'

/**
 * The next mail of a mailbox waits from when the last one was on the wire, whoever settles it. So it does
 * where the server refused that one: who throttles a mailbox would else be asked for the next lead at once.
 */
export async function throttle(
  tx: AnyContext,
  settled: Settled[],
  campaigns: Map<string, CachedCampaign>,
) {
  const lanes = new Map<string, PacedLane>()
  for (const { settlement, row, transition } of settled) {
    if (!transition.records && !isRefusedMail(transition)) continue
    const at = sentAt(settlement, row)
    const lane = lanes.get(row.mailbox_id)
    lanes.set(row.mailbox_id, {
      workspace_id: row.workspace_id,
      mailbox_id: row.mailbox_id,
      last_sent_at: laterOf(lane?.last_sent_at, at) ?? at,
      next_send_at: laterOf(lane?.next_send_at, nextSendAt(settlement, row, campaigns)),
      last_campaign_id: row.campaign_id,
      works: lane?.works || transition.state === 'sent',
    })
  }
  if (lanes.size > 0) await paceLanes(tx.db, inLaneOrder([...lanes.values()]))
}

/** The server was asked to take it, and not only whether the mailbox may send. */
const isRefusedMail = ({ error }: Transition) =>
  error?.stage === 'rcpt' || error?.stage === 'data' || error?.stage === 'message'

function nextSendAt(
  settlement: Settlement,
  row: LedgerRow,
  campaigns: Map<string, CachedCampaign>,
): Date | null {
  const gap_seconds = settlement.gapSeconds
  const { planned } = campaigns.get(row.campaign_id) ?? { planned: noGap }
  const gapMs = gapAfter(planned, { gap_seconds }, row.lead_id, row.step_id)
  return gapMs === 0 ? null : new Date(sentAt(settlement, row).getTime() + gapMs)
}

/** The gap of a campaign that is gone. */
const noGap = { email_gap: 0, random_wait_max: 0 }

const laterOf = (a: Date | null | undefined, b: Date | null) =>
  a && b && a > b ? a : (b ?? a ?? null)

const inLaneOrder = (lanes: PacedLane[]) =>
  lanes.sort((a, b) =>
    `${a.workspace_id}${a.mailbox_id}` < `${b.workspace_id}${b.mailbox_id}` ? -1 : 1,
  )
