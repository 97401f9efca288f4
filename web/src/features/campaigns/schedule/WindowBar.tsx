import classes from './WeekGrid.module.css'
import { type DayKey, dayMinutes, minutesOf, type Weekly } from './windows.ts'

interface WindowBarProps {
  window: Weekly
  day: DayKey
  isShown: boolean
}

/** The hours of a schedule on one day. */
export function WindowBar({ window: { days, timing }, day, isShown }: WindowBarProps) {
  if (!days[day]) return null
  const from = minutesOf(timing.from)
  const style = {
    left: `${(100 * from) / dayMinutes}%`,
    width: `${(100 * (minutesOf(timing.to) - from)) / dayMinutes}%`,
  }
  return <span className={classes.bar} data-shown={isShown || undefined} style={style} />
}
