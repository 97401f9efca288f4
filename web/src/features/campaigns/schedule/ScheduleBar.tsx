import classes from './WeekGrid.module.css'
import { type DayKey, dayMinutes, minutesOf, type WeeklySchedule } from './weekly-schedules.ts'

interface ScheduleBarProps {
  schedule: WeeklySchedule
  day: DayKey
  isShown: boolean
}

/** The hours of a schedule on one day. */
export function ScheduleBar({ schedule: { days, timing }, day, isShown }: ScheduleBarProps) {
  if (!days[day]) return null
  const from = minutesOf(timing.from)
  const style = {
    left: `${(100 * from) / dayMinutes}%`,
    width: `${(100 * (minutesOf(timing.to) - from)) / dayMinutes}%`,
  }
  return <span className={classes.bar} data-shown={isShown || undefined} style={style} />
}
