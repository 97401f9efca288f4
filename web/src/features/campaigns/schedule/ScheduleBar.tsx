import classes from './WeekGrid.module.css'
import { dayMinutes, type Span } from './weekly-schedules.ts'

interface ScheduleBarProps {
  span: Span
  isShown: boolean
}

/** Hours of a schedule on one day. */
export function ScheduleBar({ span: { from, to }, isShown }: ScheduleBarProps) {
  const style = {
    left: `${(100 * from) / dayMinutes}%`,
    width: `${(100 * (to - from)) / dayMinutes}%`,
  }
  return <span className={classes.bar} data-shown={isShown || undefined} style={style} />
}
