import type { Context } from '../../kernel/context.ts'
import { checkSettings, scheduleOf } from './check-settings.ts'
import { type Campaign, type CampaignChanges, plainDefaults } from './schema.ts'
import { stepsWithIds } from './sequence/sequence.ts'

/**
 * The campaign as it would be with changes that nobody has saved.
 *
 * @throws AppError `invalid_field`
 */
export async function withUnsavedChanges(
  ctx: Context,
  campaign: Campaign,
  changes: CampaignChanges,
): Promise<Campaign> {
  await checkSettings(ctx, changes)
  const names = Object.keys(plainDefaults) as (keyof typeof plainDefaults)[]
  const given = names.filter((name) => changes[name] !== undefined)
  return {
    ...campaign,
    ...Object.fromEntries(given.map((name) => [name, changes[name]])),
    campaign_schedule: scheduleOf(changes) ?? campaign.campaign_schedule,
    sequences: changes.sequences
      ? stepsWithIds(campaign.sequences, changes.sequences, ctx.newId)
      : campaign.sequences,
  }
}
