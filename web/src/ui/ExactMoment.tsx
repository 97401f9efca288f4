import { nowMs } from '../lib/clock.ts'
import { exactDay, exactHour, relativeTime } from '../lib/time.ts'
import classes from './ExactMoment.module.css'

/** In a record of what happened, where the very time counts, in the reader's zone. */
export const ExactMoment = ({ at }: { at: string }) => (
  <time dateTime={at} title={relativeTime(at, nowMs())} className={classes.time}>
    <span>{exactDay(at)}</span> <span>{exactHour(at)}</span>
  </time>
)
