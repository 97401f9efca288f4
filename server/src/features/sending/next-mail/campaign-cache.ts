import { type AnyDb, bind } from '../../../kernel/db/db.ts'
import { SizedCache } from '../../../kernel/sized-cache.ts'
import type { CampaignSchedule } from '../../campaigns/index.ts'
import { type CompiledStep, compileStep, type MailCampaign } from '../../messages/index.ts'
import type { PlannedCampaign, PlannedStep } from '../planning/plan.ts'
import { plannedCampaign } from '../planning/planned-from.ts'
import {
  type CampaignColumns,
  type CampaignVersion,
  findVariantText,
  readCampaigns,
} from './campaign-queries.ts'

/** A campaign in the version that was read, without the texts of its mails: they may be a megabyte. */
export interface CachedCampaign {
  id: string
  workspace_id: string
  version: Date
  steps: PlannedStep[]
  cc_list: string[]
  /** What does not change without another version. */
  planned: PlannedCampaign
  /**
   * A variant, read and parsed once for each version of the campaign.
   *
   * @throws TemplateError
   * @throws CampaignChanged when the campaign has another version by now
   */
  compiled: (db: AnyDb, stepId: string, variantId: string) => Promise<CompiledStep>
}

/** What was planned of it may hold no more. */
export class CampaignChanged extends Error {
  override name = 'CampaignChanged'
}

const campaignBytesMax = 16 * 1024 * 1024
const variantBytesMax = 16 * 1024 * 1024
const campaignBytes = 4_000
const variantBytes = 300
/** A parsed template takes about as many bytes for each character of its text (measured: 2 to 12). */
const bytesOfCharacter = 8

type Variants = SizedCache<CompiledStep>

/**
 * Cache of the campaigns that this process sends for, and of their parsed variants, bounded in bytes.
 * Whatever is in it counts only as long as its version is that of the database.
 */
export class CampaignCache {
  readonly #campaigns = new SizedCache<CachedCampaign>(campaignBytesMax)
  readonly #variants: Variants = new SizedCache(variantBytesMax)

  /** @returns by id, in this version or a newer one; those deleted meanwhile are missing */
  async read(db: AnyDb, versions: CampaignVersion[]): Promise<Map<string, CachedCampaign>> {
    const known = new Map<string, CachedCampaign>()
    for (const { id, version } of versions) {
      const campaign = this.#campaigns.get(id)
      if (campaign?.version.getTime() === version.getTime()) known.set(id, campaign)
    }
    const unknown = versions.filter(({ id }) => !known.has(id))
    const loaded = unknown.length === 0 ? [] : await readCampaigns(db, unknown)
    const fresh = new Map(loaded.map((row) => [row.id, cache(row, this.#variants)]))
    for (const [id, campaign] of fresh) this.#campaigns.set(id, campaign, bytesOf(campaign))
    for (const [id, campaign] of fresh) known.set(id, campaign)
    return known
  }
}

const bytesOf = ({ steps }: CachedCampaign) =>
  steps.reduce((sum, { variants }) => sum + variantBytes * (1 + variants.length), campaignBytes)

function cache(row: CampaignColumns, cached: Variants): CachedCampaign {
  const { steps } = row
  const planned = plannedCampaign(
    { ...row, campaign_schedule: row.campaign_schedule as CampaignSchedule },
    steps,
  )
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    version: row.version,
    steps: planned.steps,
    cc_list: row.cc_list,
    planned,
    async compiled(db, stepId, variantId) {
      const key = `${row.id} ${row.version.getTime()} ${stepId} ${variantId}`
      const known = cached.get(key)
      if (known) return known
      const text = await findVariantText(bind(db, row.workspace_id), row, stepId, variantId)
      if (!text) throw new CampaignChanged('The campaign was changed after a mail was planned.')
      const made = compileStep(row as MailCampaign, { id: stepId }, { id: variantId, ...text })
      cached.set(key, made, bytesOfCharacter * (text.subject.length + text.body.length))
      return made
    },
  }
}
