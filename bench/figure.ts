/** What a bench measured, beside the limit and the target it is judged by. */
export interface Figure {
  name: string
  value: number
  unit: string
  /** What the same machine does without our part of the work. */
  limit?: { name: string; value: number }
  target: string
  met: boolean
}

/** A figure without a target: it is only shown. */
export const shown = (name: string, value: number, unit: string): Figure => ({
  ...{ name, value, unit, target: 'shown', met: true },
})

/** Measures each part that was asked for, one after the other. */
export type EachPart<Part> = (
  measure: (part: Part, name: string) => Promise<Figure[]>,
) => Promise<Figure[]>

export const medianOf = <T>(items: T[], figure: (item: T) => number): number =>
  percentile(items.map(figure), 0.5)

/** The value below which this share of the sorted values lies. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
