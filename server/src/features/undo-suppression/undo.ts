import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { type Actor, recordAudit } from '../audit/index.ts'
import { getCampaign } from '../campaigns/index.ts'
import { forgetSoftBounces } from '../inbox/index.ts'
import { type BroughtBack, bringBackLeads } from '../leads/index.ts'
import {
  blockAgain,
  explainSuppressed,
  liftSuppression,
  parseEntry,
  type Suppressed,
  type SuppressionReason,
} from '../suppression/index.ts'

/** What an undone suppression was, and what became of the leads that it had stopped. */
export interface UndoneSuppression {
  address: string
  reason: SuppressionReason
  /** Since when nobody wrote to the address. */
  since: Date
  /** Where it came from; null: from nobody's campaign. */
  campaign_id: string | null
  /** Why nobody writes to the address all the same. */
  still_suppressed: SuppressionReason | null
  /** What says so. */
  still_suppressed_by: Suppressed['by'] | null
  leads: BroughtBack[]
  /** Those of the leads that go on whose campaign sends nothing until somebody activates it. */
  resting_campaigns: { id: string; name: string; status: string }[]
}

/** What a suppression for this reason had stopped leads as. */
const stoppedAs = {
  bounced: ['bounced', 'blocked'],
  unsubscribed: ['unsubscribed', 'blocked'],
  blocked: ['blocked'],
} as const

/**
 * Takes a suppression of an address back as if it had been a mistake, in one transaction: the entry,
 * what is remembered of mails that came back, and the leads that it stopped, which go on where they
 * were. Their mailboxes write to them as soon as their campaigns and steps say so.
 *
 * @param options.unsubscribed also an unsubscribe, which else is refused
 */
export async function undoSuppression(
  ctx: Context,
  workspaceId: string,
  text: string,
  options: { unsubscribed: boolean },
  actor: Actor,
): Promise<UndoneSuppression> {
  const entry = parseEntry(text)
  if (entry?.kind !== 'address') {
    const hint = 'give an e-mail address; a domain is lifted by "suppressions remove"'
    throw invalidField('/address', hint)
  }
  const { value: address } = entry
  return transaction(ctx, async (tx) => {
    const lifted = await liftSuppression(tx, workspaceId, entry)
    if (lifted) await blockAgain(tx, workspaceId, [lifted])
    const still = (await explainSuppressed(tx.db, workspaceId, [address])).get(address)
    if (!lifted) throw notSuppressed(still)
    const { reason, campaign_id, timestamp_created: since } = lifted
    if (reason === 'unsubscribed' && !options.unsubscribed) throw isUnsubscribed
    await forgetSoftBounces(tx.db, workspaceId, [address])
    const leads = still
      ? []
      : await bringBackLeads(tx, workspaceId, address, [...stoppedAs[reason]])
    await recordAudit(tx, {
      workspaceId,
      actor,
      action: 'suppression.undone',
      subjectType: 'suppression',
      subjectId: null,
      details: {
        ...{ kind: 'address', reason, since: since.toISOString() },
        leads: leads.map(({ lead_id }) => lead_id),
      },
    })
    const resting_campaigns = await findResting(tx, workspaceId, leads)
    return {
      ...{ address, reason, since, campaign_id, leads, resting_campaigns },
      still_suppressed: still?.reason ?? null,
      still_suppressed_by: still?.by ?? null,
    }
  })
}

async function findResting(tx: Context, workspaceId: string, leads: BroughtBack[]) {
  const going = leads.filter(({ sending_state }) => sending_state !== 'stopped')
  const ids = [...new Set(going.map(({ campaign_id }) => campaign_id))]
  const campaigns = []
  for (const id of ids) campaigns.push(await getCampaign(tx, workspaceId, id))
  return campaigns
    .filter(({ status }) => status !== 'active')
    .map(({ id, name, status }) => ({ id, name, status }))
}

const notSuppressed = (still: Suppressed | undefined) =>
  new AppError(
    'not_found',
    (still && otherwise[still.by]) ??
      'The address is not suppressed in this workspace: there is nothing to undo.',
  )

const otherwise: Partial<Record<Suppressed['by'], string>> = {
  domain:
    'The address itself is not suppressed, but its domain is: "suppressions remove" with the domain lifts that.',
  erased: 'The person was erased from this workspace, and that is not taken back.',
  'opt-out':
    'The person asked to be removed from the whole installation, and that is not taken back.',
}

const isUnsubscribed = new AppError(
  'invalid_transition',
  'Its owner unsubscribed. Writing again without a new consent is against the law in most places: --unsubscribed undoes it all the same.',
)
