import type { Context } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import type { ChangedBy } from '../audit/index.ts'
import { getCampaign, insertDraft } from './campaigns.ts'
import { type Campaign, plainDefaults } from './schema.ts'

/** A draft with the same settings and steps, and none of the leads. */
export async function duplicateCampaign(
  ctx: Context,
  workspaceId: string,
  id: string,
  by: ChangedBy,
): Promise<Campaign> {
  return transaction(ctx, async (tx) => {
    const campaign = await getCampaign(tx, workspaceId, id)
    const { campaign_schedule, sequences } = campaign
    const names = Object.keys(plainDefaults) as (keyof typeof plainDefaults)[]
    const settings = Object.fromEntries(names.map((name) => [name, campaign[name]]))
    const name = copyName(campaign.name)
    return insertDraft(tx, workspaceId, { ...settings, name, campaign_schedule, sequences }, by)
  })
}

const ending = ' (copy)'

const copyName = (name: string) => `${[...name].slice(0, 255 - ending.length).join('')}${ending}`
