import { Drawer } from '@mantine/core'
import { Wordmark } from '../../ui/Wordmark.tsx'
import classes from './Shell.module.css'
import { SideNav } from './SideNav.tsx'

/** The navigation where it has no room beside the page. */
export function NavDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      position="left"
      closeOnClickOutside
      size="17rem"
      title={<Wordmark />}
      classNames={{ body: classes.drawer }}
    >
      <SideNav onNavigate={onClose} />
    </Drawer>
  )
}
