import { nowMs } from '../lib/clock.ts'
import { exactDay, exactTimeOfDay, relativeTime } from '../lib/time.ts'
import classes from './ExactTime.module.css'

/** In a record of what happened, where the very time counts, in the reader's zone. */
export const ExactTime = ({ at }: { at: string }) => (
  <time dateTime={at} title={relativeTime(at, nowMs())} className={classes.time}>
    <span>{exactDay(at)}</span> <span>{exactTimeOfDay(at)}</span>
  </time>
)
