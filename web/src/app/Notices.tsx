import { Notifications } from '@mantine/notifications'

/**
 * What was done, in a corner. Each is shown at once, however many stay until somebody closes them: one that
 * waited behind them would not be told in time, nor end, on which the saving of a change that can be undone
 * waits.
 */
export function Notices() {
  return <Notifications position="bottom-right" limit={Number.POSITIVE_INFINITY} />
}
