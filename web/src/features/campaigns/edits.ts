import type { Campaign, CampaignChanges } from '../../api/generated/types.gen.ts'
import { isEqual } from './merge.ts'

/** What a person changes of a campaign. */
export type Settings = Omit<
  Campaign,
  | 'id'
  | 'status'
  | 'status_reason'
  | 'lead_counts'
  | 'sending_status'
  | 'workspace_id'
  | 'timestamp_created'
  | 'timestamp_updated'
>

/** The settings that somebody has changed, with their new values. */
export type Edits = Partial<Settings>

export const isEmpty = (edits: Edits) => Object.keys(edits).length === 0

/** Leaves out every edit whose value the campaign has already. */
export const differing = (edits: Edits, from: Campaign): Edits =>
  Object.fromEntries(
    Object.entries(edits).filter(([name, value]) => !isEqual(value, from[name as keyof Settings])),
  )

export const idsOf = ({ sequences = [] }: Edits) =>
  sequences.flatMap(({ steps }) =>
    steps.flatMap(({ id, variants }) => [id, ...variants.map((variant) => variant.id)]),
  )

/** Ids of what the campaign does not have, or has no more, are the server's to give. */
export function toBody({ sequences, ...rest }: Edits, base: Campaign): CampaignChanges {
  if (!sequences) return rest
  const had = new Set(idsOf(base))
  const known = <T extends { id: string }>({ id, ...fields }: T) => ({
    ...(had.has(id) ? { id } : {}),
    ...fields,
  })
  return {
    ...rest,
    sequences: sequences.map(({ steps }) => ({
      steps: steps.map((step) => ({ ...known(step), variants: step.variants.map(known) })),
    })),
  }
}

/** The ids that the server gave to new steps and variants, by those they were made with. */
export function givenIds(sent: Edits, base: Campaign, saved: Campaign): Map<string, string> {
  const had = new Set(idsOf(base))
  const after = idsOf(saved)
  return new Map(
    idsOf(sent).flatMap((id, index) => (had.has(id) ? [] : [[id, after[index] ?? id]])),
  )
}

export function withIds(edits: Edits, given: Map<string, string>): Edits {
  const { sequences, ...rest } = edits
  if (!sequences) return edits
  const idOf = (id: string) => given.get(id) ?? id
  return {
    ...rest,
    sequences: sequences.map(({ steps }) => ({
      steps: steps.map((step) => ({
        ...step,
        id: idOf(step.id),
        variants: step.variants.map((variant) => ({ ...variant, id: idOf(variant.id) })),
      })),
    })),
  }
}
