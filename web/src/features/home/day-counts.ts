import type { Analytics } from '../../api/generated/types.gen.ts'

type Day = Analytics['items'][number]

const days = 30
const dayMs = 86_400_000

/** The last thirty days by UTC, those without anything too. */
export function dayCounts(items: Day[], what: Exclude<keyof Day, 'day'>, now: Date) {
  const counts = new Map(items.map((item) => [item.day, item[what]]))
  return Array.from({ length: days }, (_, at) => {
    const date = new Date(now.getTime() - (days - 1 - at) * dayMs).toISOString().slice(0, 10)
    return { date, counts: [counts.get(date) ?? 0] }
  })
}
