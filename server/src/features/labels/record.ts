/** What setting the label does to a lead that is still written to. */
export const labelEffects = ['none', 'pause', 'stop'] as const
export type LabelEffect = (typeof labelEffects)[number]

export const labelSentiments = ['positive', 'neutral', 'negative'] as const
export type LabelSentiment = (typeof labelSentiments)[number]

export interface Label {
  id: string
  name: string
  /** Slug of the first name; never changes, so integrations may rely on it. */
  value: string
  effect: LabelEffect
  sentiment: LabelSentiment
  timestamp_created: Date
  timestamp_updated: Date
  timestamp_archived: Date | null
}
