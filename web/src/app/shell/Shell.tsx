import { ActionIcon } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Outlet, useRouter } from '@tanstack/react-router'
import { Menu } from 'lucide-react'
import { Suspense, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useSessionChanges, useSignedIn } from '../../features/users/index.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { Wordmark } from '../../ui/Wordmark.tsx'
import { ConnectionNotice } from './ConnectionNotice.tsx'
import classes from './Shell.module.css'
import { SideNav } from './SideNav.tsx'
import { useFocusOnPage } from './useFocusOnPage.ts'
import { useShortcuts } from './useShortcuts.ts'

// Nobody has them open when a page appears.
const CommandPalette = lazyPart(() => import('./CommandPalette.tsx'), 'CommandPalette')
const TimeTooltip = lazyPart(() => import('../../ui/TimeTooltip.tsx'), 'TimeTooltip')
const ShortcutList = lazyPart(() => import('./ShortcutList.tsx'), 'ShortcutList')
const NavDrawer = lazyPart(() => import('./NavDrawer.tsx'), 'NavDrawer')

/** What surrounds every page of somebody who is signed in. */
export function Shell() {
  const { t } = useTranslation()
  const { user } = useSignedIn()
  useSessionChanges()
  const router = useRouter()
  const [isNavOpen, nav] = useDisclosure()
  const [isListOpen, list] = useDisclosure()
  useShortcuts({ onShowShortcuts: list.open })
  const page = useRef<HTMLElement>(null)
  useFocusOnPage(page)
  // Whoever goes somewhere wants what the navigation lies over, however they went there. The same is told
  // where what a page stands on is only read again.
  useEffect(
    () => router.subscribe('onBeforeNavigate', ({ hrefChanged }) => hrefChanged && nav.close()),
    [router, nav.close],
  )
  return (
    <div className={classes.shell}>
      <a href="#page" className={classes.skip}>
        {t(($) => $.shell.skip)}
      </a>
      <header className={classes.bar}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t(($) => $.shell.openNav)}
          onClick={nav.open}
        >
          <Menu size="1.25rem" aria-hidden />
        </ActionIcon>
        <Wordmark />
      </header>
      <div className={classes.side}>
        <SideNav />
      </div>
      <main ref={page} id="page" tabIndex={-1} className={classes.page}>
        <ConnectionNotice email={user.email} />
        <Outlet />
        <Suspense>
          <TimeTooltip />
        </Suspense>
      </main>
      <Suspense>
        <CommandPalette onShowKeys={list.open} />
        <NavDrawer opened={isNavOpen} onClose={nav.close} />
        <ShortcutList opened={isListOpen} onClose={list.close} />
      </Suspense>
    </div>
  )
}
