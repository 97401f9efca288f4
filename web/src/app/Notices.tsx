import { Notifications } from '@mantine/notifications'

/** What was done, in a corner. */
export function Notices() {
  return <Notifications position="bottom-right" />
}
