import { Notifications } from '@mantine/notifications'
import classes from './Notices.module.css'

/**
 * What was done, over the navigation: a button of the page under it would be missed. Each is shown at once,
 * however many stay until somebody closes them: one that waited behind them would not be told in time, nor
 * end, on which the saving of a change that can be undone waits.
 */
export function Notices() {
  return (
    <Notifications
      position="bottom-left"
      className={classes.notices}
      limit={Number.POSITIVE_INFINITY}
    />
  )
}
