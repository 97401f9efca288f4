import { Kbd, UnstyledButton } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { BookOpen, Search } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { isAtLeast } from '../../features/users/index.ts'
import { modifier } from '../../lib/keyboard.ts'
import { useWaiting } from '../../lib/tab-title.ts'
import { groups, navItems } from './nav-items.ts'
import { openPalette } from './openPalette.ts'
import classes from './SideNav.module.css'
import { UserMenu } from './UserMenu.tsx'
import { useShownWorkspace } from './useShownWorkspace.ts'
import { WorkspaceSwitcher } from './WorkspaceSwitcher.tsx'

/**
 * Where somebody can go, and who they are.
 *
 * @param onNavigate an entry was chosen, maybe the one that is open: what it lies over is wanted now
 */
export function SideNav({ onNavigate }: { onNavigate?: () => void }) {
  const { t } = useTranslation()
  const workspace = useShownWorkspace()
  const waiting = useWaiting()
  // There is one in the drawer as well.
  const id = useId()
  const shown = navItems.filter(({ least }) => workspace && isAtLeast(workspace.role, least))
  return (
    <nav className={classes.nav} aria-label={t(($) => $.shell.nav)}>
      <WorkspaceSwitcher onNavigate={onNavigate} />
      <UnstyledButton className={classes.search} onClick={() => void openPalette()}>
        <Search size="1rem" aria-hidden />
        <span>{t(($) => $.shell.search)}</span>
        <Kbd size="xs" className="wide-only">
          {modifier}K
        </Kbd>
      </UnstyledButton>
      <div className={classes.items}>
        {groups.map((group) => {
          const inGroup = shown.filter((item) => item.group === group)
          return (
            inGroup.length > 0 && (
              <div key={group} className={classes.group}>
                <p id={`${id}-${group}`}>{t(($) => $.groups[group])}</p>
                <ul aria-labelledby={`${id}-${group}`}>
                  {inGroup.map(({ id, to, icon: Icon }) => (
                    <li key={id}>
                      <Link
                        to={to}
                        params={{ handle: workspace?.handle ?? '' }}
                        className={classes.link}
                        // All other addresses begin with that of the first page.
                        activeOptions={{ exact: id === 'home' }}
                        onClick={onNavigate}
                      >
                        <Icon size="1rem" aria-hidden />
                        {t(($) => $.places[id])}
                        {id === 'inbox' && waiting > 0 && (
                          <span className={classes.count}>{waiting < 1000 ? waiting : '999+'}</span>
                        )}
                      </Link>
                    </li>
                  ))}
                  {group === 'integrations' && (
                    <li>
                      <a href="/docs" target="_blank" rel="noreferrer" className={classes.link}>
                        <BookOpen size="1rem" aria-hidden />
                        {t(($) => $.shell.reference)}
                      </a>
                    </li>
                  )}
                </ul>
              </div>
            )
          )
        })}
      </div>
      <UserMenu onNavigate={onNavigate} />
    </nav>
  )
}
