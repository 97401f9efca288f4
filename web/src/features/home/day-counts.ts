import type { Analytics } from '../../api/generated/types.gen.ts'

type Day = Analytics['items'][number]

const days = 30
const dayMs = 86_400_000

/** The last thirty days, those without anything too: by UTC, or by zones east of it where they count already. */
export function dayCounts(items: Day[], what: Exclude<keyof Day, 'day'>, now: Date) {
  const counts = new Map(items.map((item) => [item.day, item[what]]))
  const last = Math.max(now.getTime(), ...items.map(({ day }) => Date.parse(day)))
  return Array.from({ length: days }, (_, at) => {
    const date = new Date(last - (days - 1 - at) * dayMs).toISOString().slice(0, 10)
    return { date, counts: [counts.get(date) ?? 0] }
  })
}
