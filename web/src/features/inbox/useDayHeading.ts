import { useSyncExternalStore } from 'react'
import { useTranslation } from 'react-i18next'
import { nowMs } from '../../lib/clock.ts'
import { followTime } from '../../lib/ticks.ts'
import { dayIn, exactDay, zoneName } from '../../lib/time.ts'

/** Names the days of the reader's calendar: "Today", "Yesterday", "Nov 20, 2026". Midnight renames them. */
export function useDayHeading(): (at: string) => string {
  const { t } = useTranslation()
  const today = useSyncExternalStore(followTime, () => exactDay(new Date(nowMs()).toISOString()))
  const yesterday = exactDay(`${dayIn(zoneName(), -1)}T12:00`)
  return (at) => {
    const day = exactDay(at)
    if (day === today) return t(($) => $.inbox.today)
    return day === yesterday ? t(($) => $.inbox.yesterday) : day
  }
}
