import { Notifications } from '@mantine/notifications'

/** What was done, in a corner. */
export default function Notices() {
  return <Notifications position="bottom-right" />
}
