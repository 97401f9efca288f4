import { Kbd, Modal } from '@mantine/core'
import { useLocation } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { inboxShortcuts } from '../../features/inbox/inbox-shortcuts.ts'
import { isAtLeast } from '../../features/users/index.ts'
import { modifier } from '../../lib/keyboard.ts'
import { navItems } from './nav-items.ts'
import classes from './ShortcutList.module.css'
import { useShownWorkspace } from './useShownWorkspace.ts'

/** What can be done without the mouse. */
export function ShortcutList({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation()
  const workspace = useShownWorkspace()
  const isInbox = useLocation({ select: ({ pathname }) => pathname.endsWith('/inbox') })
  const shown = navItems.filter(({ least }) => workspace && isAtLeast(workspace.role, least))
  const rows: [text: string, keys: string[]][] = [
    [t(($) => $.shell.search), [`${modifier}K`]],
    [t(($) => $.keyList.this), ['?']],
    ...shown.map(({ id, letter }): [string, string[]] => [t(($) => $.places[id]), ['g', letter]]),
    [t(($) => $.shell.account), ['g', 'u']],
    ...(isInbox
      ? inboxShortcuts.map(([action, keys]): [string, string[]] => [
          t(($) => $.inbox.keys[action]),
          keys,
        ])
      : []),
  ]
  return (
    <Modal opened={opened} onClose={onClose} title={t(($) => $.keyList.title)}>
      <dl className={classes.list}>
        {rows.map(([text, keys]) => (
          <div key={text}>
            <dt>{text}</dt>
            <dd>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Modal>
  )
}
