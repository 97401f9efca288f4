import type { Db } from '../../../kernel/db/db.ts'
import * as queries from '../queries.ts'
import type { CampaignSchedule } from '../schedule/schedule-schema.ts'
import type { CampaignSequence } from './sequence-schema.ts'
import { type StepDelay, zoneOf } from './step-timing.ts'

/** What tells when the next step of a lead is due. */
export interface CampaignSteps {
  steps: (StepDelay & { id: string })[]
  zone: string
}

export interface HeldSteps extends CampaignSteps {
  stop_for_company: boolean
  /** Leads that an edit has left without a step are not finished before. */
  leads_finish_at: Date | null
}

/** Until the transaction ends they stay as they are. */
export async function holdSteps(
  db: Db,
  workspaceId: string,
  campaignId: string,
): Promise<HeldSteps> {
  const [row] = await queries.holdSteps(db, workspaceId, campaignId)
  if (!row) throw new Error('Leads have a campaign.')
  const { stop_for_company, leads_finish_at } = row
  return { ...stepsOf(row), stop_for_company, leads_finish_at }
}

export const stepsOf = (campaign: {
  sequences: CampaignSequence[]
  campaign_schedule: CampaignSchedule
}): CampaignSteps => ({
  steps: campaign.sequences.flatMap(({ steps }) => steps),
  zone: zoneOf(campaign.campaign_schedule),
})
