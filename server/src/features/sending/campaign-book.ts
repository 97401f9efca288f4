import type { Db } from '../../kernel/db/db.ts'
import type { CampaignSchedule, CampaignSequence } from '../campaigns/index.ts'
import { type CompiledStep, compileStep, type MailCampaign } from '../messages/index.ts'
import { type CampaignColumns, readCampaigns } from './campaign-queries.ts'
import type { PlannedCampaign, PlannedStep } from './plan/plan.ts'

/** A campaign as this process has read it: parsed and compiled once for each of its versions. */
export interface BookedCampaign {
  id: string
  workspace_id: string
  name: string
  version: Date
  steps: PlannedStep[]
  /** What does not change without another version. */
  planned: Omit<PlannedCampaign, 'status' | 'planAllows'>
  /** @throws TemplateError */
  compiled: (stepId: string, variantId: string) => CompiledStep
}

export interface CampaignVersion {
  workspace_id: string
  id: string
  /** Later with every change. */
  version: Date
}

const campaignsMax = 2000

/** The campaigns that this process sends for. What was read is never believed: its version is. */
export class CampaignBook {
  readonly #campaigns = new Map<string, BookedCampaign>()

  /** @returns by id, in this version or a newer one; those deleted meanwhile are missing */
  async read(db: Db, versions: CampaignVersion[]): Promise<Map<string, BookedCampaign>> {
    const unknown = versions.filter(
      ({ id, version }) => this.#find(id)?.version.getTime() !== version.getTime(),
    )
    const loaded = unknown.length === 0 ? [] : await readCampaigns(db, unknown)
    const fresh = new Map(loaded.map((row) => [row.id, book(row)]))
    for (const [id, campaign] of fresh) this.#keep(id, campaign)
    const known = new Map<string, BookedCampaign>()
    const isUnknown = new Set(unknown.map(({ id }) => id))
    for (const { id } of versions) {
      const campaign = isUnknown.has(id) ? fresh.get(id) : this.#find(id)
      if (campaign) known.set(id, campaign)
    }
    return known
  }

  #find(id: string): BookedCampaign | undefined {
    return this.#campaigns.get(id)
  }

  /** The one that was not asked for longest goes. */
  #keep(id: string, campaign: BookedCampaign) {
    this.#campaigns.delete(id)
    this.#campaigns.set(id, campaign)
    if (this.#campaigns.size <= campaignsMax) return
    const [oldest] = this.#campaigns.keys()
    if (oldest !== undefined) this.#campaigns.delete(oldest)
  }
}

function book(row: CampaignColumns): BookedCampaign {
  const sequences = row.sequences as CampaignSequence[]
  const steps = sequences.flatMap((sequence) => sequence.steps)
  const plannedSteps = steps.map((step, index) => ({
    id: step.id,
    number: index + 1,
    delay: step.delay,
    delay_unit: step.delay_unit,
    variants: step.variants.map(({ id, v_disabled }, place) => ({
      ...{ id, v_disabled, number: place + 1 },
    })),
  }))
  const compiled = new Map<string, CompiledStep>()
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    name: row.name,
    version: row.version,
    steps: plannedSteps,
    planned: {
      id: row.id,
      schedule: row.campaign_schedule as CampaignSchedule,
      steps: plannedSteps,
      daily_limit: row.daily_limit,
      daily_max_leads: row.daily_max_leads,
      email_gap: row.email_gap,
      random_wait_max: row.random_wait_max,
      prioritize_new_leads: row.prioritize_new_leads,
      expire_after_days: row.expire_after_days,
    },
    compiled(stepId, variantId) {
      const known = compiled.get(variantId)
      if (known) return known
      const index = steps.findIndex((step) => step.id === stepId)
      const variant = steps[index]?.variants.find(({ id }) => id === variantId)
      if (!variant) throw new Error('The variant was removed while it was planned.')
      const made = compileStep(
        row as unknown as MailCampaign,
        { id: stepId, number: index + 1 },
        variant,
      )
      compiled.set(variantId, made)
      return made
    },
  }
}
