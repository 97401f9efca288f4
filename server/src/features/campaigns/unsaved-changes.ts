import type { Context } from '../../kernel/context.ts'
import { checkUnsaved, scheduleOf } from './check-settings.ts'
import { type Campaign, type CampaignChanges, plainDefaults } from './schema.ts'
import { stepsWithIds } from './sequence/sequence.ts'

/**
 * The campaign as it would be with changes that nobody has saved. Whoever makes a mail of it finds out
 * whether its texts are templates.
 *
 * @throws AppError `invalid_field`
 */
export function withUnsavedChanges(
  ctx: Pick<Context, 'newId'>,
  campaign: Campaign,
  changes: CampaignChanges,
): Campaign {
  checkUnsaved(changes)
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
