import type { Context } from '../../kernel/context.ts'
import { checkSettings, scheduleOf } from './check-settings.ts'
import { type Campaign, type CampaignChanges, plainDefaults } from './schema.ts'
import { stepsWithIds } from './sequence/sequence.ts'

/**
 * The campaign as it would be with changes that nobody has saved.
 *
 * @throws AppError `invalid_field`
 */
export async function applyDraft(
  ctx: Context,
  campaign: Campaign,
  draft: CampaignChanges,
): Promise<Campaign> {
  await checkSettings(ctx, draft)
  const names = Object.keys(plainDefaults) as (keyof typeof plainDefaults)[]
  const given = names.filter((name) => draft[name] !== undefined)
  return {
    ...campaign,
    ...Object.fromEntries(given.map((name) => [name, draft[name]])),
    campaign_schedule: scheduleOf(draft) ?? campaign.campaign_schedule,
    sequences: draft.sequences
      ? stepsWithIds(campaign.sequences, draft.sequences, ctx.newId)
      : campaign.sequences,
  }
}
