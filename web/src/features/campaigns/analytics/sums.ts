import type { CampaignAnalytics } from '../../../api/generated/types.gen.ts'
import { letterOf } from '../steps/edit-steps.ts'

export type Item = CampaignAnalytics['items'][number]

export const outcomes = [
  'sent',
  'opened',
  'clicked',
  'replied',
  'auto_replied',
  'bounced',
  'interested',
  'unsubscribed',
] as const
export type Outcome = (typeof outcomes)[number]
export type Sums = Record<Outcome, number>

/** What the items come to together. */
export const sumOf = (items: Item[]): Sums =>
  Object.fromEntries(
    outcomes.map((outcome) => [outcome, items.reduce((sum, item) => sum + item[outcome], 0)]),
  ) as Sums

/** By a part of the item, in that order. */
export const sumsBy = (items: Item[], keyOf: (item: Item) => string): [string, Sums][] =>
  [...Map.groupBy(items, keyOf)].map(([key, own]) => [key, sumOf(own)])

/** What was removed has no number, and comes after the others. */
export const byNumbers = (a: Item, b: Item) =>
  (a.step ?? none) - (b.step ?? none) || (a.variant ?? none) - (b.variant ?? none)
const none = Number.MAX_SAFE_INTEGER

/** As spreadsheets read it; a day, a step and a variant in a row, empty where it was removed. */
export function csvOf(items: Item[]): string {
  const names = ['day', 'step', 'variant', ...outcomes] as const
  const rows = items.map((item) => {
    const variant = item.variant === null ? null : letterOf(item.variant)
    return names.map((name) => ({ ...item, variant })[name]).join(',')
  })
  return `${[names.join(','), ...rows].join('\r\n')}\r\n`
}

/** Every day of the calendar from one to another, both included. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000) {
    days.push(new Date(at).toISOString().slice(0, 10))
  }
  return days
}
