import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { AppError, invalidField } from '../../kernel/errors.ts'
import { nilId } from '../../kernel/ids.ts'
import { type ChangedBy, recordAudit } from '../audit/index.ts'
import { getCampaign } from '../campaigns/index.ts'
import { forgetSoftBounces } from '../inbox/index.ts'
import {
  type BroughtBack,
  bringBackLeads,
  bringBackLeadsAt,
  findLeadsAt,
  stayBlocked,
} from '../leads/index.ts'
import { wakeWorkspaceMailboxes } from '../mailbox-lanes/index.ts'
import {
  explainSuppressed,
  holdSuppressions,
  liftSuppression,
  parseEntry,
  type SeenSuppression,
  type Suppressed,
  type SuppressionEntry,
  type SuppressionReason,
  showSuppression,
} from '../suppression/index.ts'

/** What an undone suppression was, and what became of the leads that it had stopped. */
export interface UndoneSuppression {
  /** Or the domain. */
  address: string
  /** Null: there was no entry any more. */
  reason: SuppressionReason | null
  /** Since when nobody wrote to the address. */
  since: Date | null
  /** Where it came from; null: from nobody's campaign. */
  campaign_id: string | null
  /** Why nobody writes to the address all the same. */
  still_suppressed: SuppressionReason | null
  /** What says so. */
  still_suppressed_by: Suppressed['by'] | null
  leads: BroughtBack[]
  /** Campaigns of leads that go on which send nothing until somebody activates them. */
  resting_campaigns: { id: string; name: string; status: string }[]
}

/** What a suppression for this reason had stopped leads as. */
const stoppedAs = {
  bounced: ['bounced', 'blocked'],
  unsubscribed: ['unsubscribed', 'blocked'],
  blocked: ['blocked'],
} as const

/** Of an entry that was lifted before nobody knows the reason any more: the leads that it stopped do. */
const stoppedBefore = ({ unsubscribed }: { unsubscribed: boolean }) =>
  unsubscribed
    ? (['blocked', 'bounced', 'unsubscribed'] as const)
    : (['blocked', 'bounced'] as const)

/** `since`: as `SeenSuppression` has it. Of an entry that is gone by now, its leads are brought back. */
interface UndoOptions extends Pick<SeenSuppression, 'since'> {
  unsubscribed: boolean
}

/**
 * Takes a suppression back as if it had been a mistake: the entry, what is remembered of mails that came
 * back, and the leads that it stopped, which go on where they were. Their mailboxes write to them as soon
 * as their campaigns and steps say so. Of an entry that was lifted before, the leads alone.
 *
 * @param options.unsubscribed also an unsubscribe, which else is refused
 */
export async function undoSuppression(
  ctx: Context,
  workspaceId: string,
  text: string,
  options: UndoOptions,
  by: ChangedBy,
): Promise<UndoneSuppression> {
  const entry = parseEntry(text)
  if (!entry) throw invalidField('/address', 'give an e-mail address or a domain, as example.com')
  const undo = entry.kind === 'domain' ? undoDomain : undoAddress
  return undo(ctx, workspaceId, entry, options, by)
}

/** Of what can be lifted, too. */
const isEntry = ({ by }: Suppressed) => by === 'address' || by === 'domain'

const hasUnsubscribed = ({ status, stop_reason }: { status: string; stop_reason: string | null }) =>
  stop_reason === 'unsubscribed' || status === 'unsubscribed'

const undoAddress = (
  ctx: Context,
  workspaceId: string,
  entry: SuppressionEntry,
  options: UndoOptions,
  by: ChangedBy,
) =>
  transaction(ctx, async (tx) => {
    const { value: address } = entry
    const lifted = await lift(tx, workspaceId, entry, options)
    const still = (await explainSuppressed(tx.db, workspaceId, [address])).get(address)
    const own = await findLeadsAt(tx.db, workspaceId, address)
    if (!lifted && still) throw notSuppressed(still)
    await forgetSoftBounces(tx.db, workspaceId, [address])
    const reasons = lifted ? stoppedAs[lifted.reason] : stoppedBefore(options)
    // Of an unsubscribe that was lifted before only the leads tell: another stop is not overwritten by it.
    const goingOn = lifted
      ? own.filter((lead) => reasons.some((each) => each === lead.stop_reason))
      : own
    if (!still && !options.unsubscribed && goingOn.some(hasUnsubscribed)) throw isUnsubscribed
    if (still && isEntry(still)) await stayBlocked(tx, workspaceId, address, [...reasons])
    const leads = still ? [] : await bringBackLeads(tx, workspaceId, address, [...reasons])
    if (!lifted && leads.length === 0) throw notSuppressed(undefined)
    const ids = leads.map(({ lead_id }) => lead_id)
    await record(tx, workspaceId, entry, { lifted, leads: ids }, by)
    return undone(tx, workspaceId, entry, { lifted, still, leads })
  })

/**
 * There may be very many: killed, it is run again, and brings back those that are left. The audit log is
 * told batch by batch, so that it knows of those that were brought back by then.
 */
async function undoDomain(
  ctx: Context,
  workspaceId: string,
  entry: SuppressionEntry,
  options: UndoOptions,
  by: ChangedBy,
) {
  let lifted: Lifted
  const leads: BroughtBack[] = []
  for (let after: string | undefined = nilId; after !== undefined; ) {
    const from: string = after
    const some = await transaction(ctx, async (tx) => {
      const isFirst = from === nilId
      if (isFirst) lifted = await lift(tx, workspaceId, entry, options)
      else await holdSuppressions(tx, workspaceId)
      const found = await bringBackLeadsAt(tx, workspaceId, entry.value, from)
      const { length } = found.leads
      if (length > 0 || (isFirst && lifted)) {
        await record(tx, workspaceId, entry, { lifted, leads: length }, by)
      }
      if (isFirst && lifted) await wakeWorkspaceMailboxes(tx, workspaceId)
      return found
    })
    leads.push(...some.leads)
    after = some.last
  }
  if (!lifted && leads.length === 0) throw notSuppressed(undefined)
  const { reason, by: source } = await showSuppression(ctx, workspaceId, entry.value)
  const still = reason && source ? { reason, by: source } : undefined
  return undone(ctx, workspaceId, entry, { lifted, still, leads })
}

type Lifted = Awaited<ReturnType<typeof liftSuppression>>

async function lift(
  tx: Context,
  workspaceId: string,
  entry: SuppressionEntry,
  options: UndoOptions,
): Promise<Lifted> {
  const lifted = await liftSuppression(tx, workspaceId, entry, { since: options.since })
  if (!lifted) return undefined
  if (lifted.reason === 'unsubscribed' && !options.unsubscribed) throw isUnsubscribed
  return lifted
}

const record = (
  ctx: Context,
  workspaceId: string,
  { kind }: SuppressionEntry,
  { lifted, leads }: { lifted: Lifted; leads: string[] | number },
  by: ChangedBy,
) =>
  recordAudit(ctx, {
    workspaceId,
    ...by,
    action: 'suppression.undone',
    subjectType: 'suppression',
    subjectId: null,
    details: {
      ...{ kind, reason: lifted?.reason ?? null, leads },
      since: lifted?.timestamp_created.toISOString() ?? null,
    },
  })

async function undone(
  ctx: Context,
  workspaceId: string,
  { value: address }: SuppressionEntry,
  { lifted, still, leads }: { lifted: Lifted; still: Suppressed | undefined; leads: BroughtBack[] },
): Promise<UndoneSuppression> {
  return {
    ...{ address, reason: lifted?.reason ?? null, since: lifted?.timestamp_created ?? null },
    ...{ campaign_id: lifted?.campaign_id ?? null, leads },
    resting_campaigns: await findResting(ctx, workspaceId, leads),
    still_suppressed: still?.reason ?? null,
    still_suppressed_by: still?.by ?? null,
  }
}

async function findResting(ctx: Context, workspaceId: string, leads: BroughtBack[]) {
  const going = leads.filter(({ sending_state }) => sending_state !== 'stopped')
  const ids = [...new Set(going.map(({ campaign_id }) => campaign_id))]
  const campaigns = []
  for (const id of ids) campaigns.push(await getCampaign(ctx, workspaceId, id))
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
    'The address itself is not suppressed, but its domain is: "suppressions undo" with the domain takes that back.',
  erased: 'The person was erased from this workspace, and that is not taken back.',
  'opt-out':
    'The person asked to be removed from the whole installation, and that is not taken back.',
}

const isUnsubscribed = new AppError(
  'invalid_transition',
  'Its owner unsubscribed. Writing again without a new consent is against the law in most places: --unsubscribed undoes it all the same.',
)
