import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { createSpotlight, Spotlight, type SpotlightActionGroupData } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import { Building2, Keyboard, Moon, Search, Sun, UserRound } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isAtLeast, useSignedIn } from '../../features/users/index.ts'
import { navItems } from './nav-items.ts'
import { useFoundRecords } from './useFoundRecords.tsx'
import { usePaletteActions } from './usePaletteActions.ts'
import { useShownWorkspace } from './useShownWorkspace.ts'

const [store, { open }] = createSpotlight()

export { open }

const waitMs = 200

/** Where to go and what to do, by typing a part of its name. */
export function CommandPalette({ onShowKeys }: { onShowKeys: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { workspaces } = useSignedIn()
  const workspace = useShownWorkspace()
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme() === 'dark'
  const [query, setQuery] = useState('')
  const [asked] = useDebouncedValue(query, waitMs)
  const found = useFoundRecords(workspace, asked)
  const icon = (Icon: typeof Search) => <Icon size="1rem" aria-hidden />
  const goTo = (handle: string) => () => void navigate({ to: '/w/$handle', params: { handle } })

  const inWorkspace = workspace ? { params: { handle: workspace.handle } } : undefined
  const doable = usePaletteActions().filter(
    ({ least }) => workspace && isAtLeast(workspace.role, least),
  )
  const shown = navItems.filter(({ least }) => workspace && isAtLeast(workspace.role, least))
  const actions: SpotlightActionGroupData[] = [
    {
      group: t(($) => $.palette.go),
      actions: [
        ...shown.map(({ id, to, icon: Icon }) => ({
          id,
          label: t(($) => $.places[id]),
          leftSection: icon(Icon),
          onClick: () => inWorkspace && void navigate({ to, ...inWorkspace }),
        })),
        {
          id: 'account',
          label: t(($) => $.shell.account),
          leftSection: icon(UserRound),
          onClick: () => void navigate({ to: '/account' }),
        },
      ],
    },
    {
      group: t(($) => $.palette.do),
      actions: [
        ...doable.map(({ id, icon: Icon, label, to, search }) => ({
          id,
          label,
          leftSection: icon(Icon),
          onClick: () => inWorkspace && void navigate({ to, ...inWorkspace, search }),
        })),
        {
          id: 'color-scheme',
          label: t(($) => (isDark ? $.shell.light : $.shell.dark)),
          keywords: t(($) => $.palette.theme),
          leftSection: icon(isDark ? Sun : Moon),
          onClick: () => setColorScheme(isDark ? 'light' : 'dark'),
        },
        {
          id: 'key-list',
          label: t(($) => $.keyList.title),
          leftSection: icon(Keyboard),
          onClick: onShowKeys,
        },
      ],
    },
    ...found,
    {
      group: t(($) => $.shell.workspaces),
      actions: workspaces
        .filter(({ id }) => id !== workspace?.id)
        .map(({ id, handle, name }) => ({
          id,
          label: name,
          leftSection: icon(Building2),
          onClick: goTo(handle),
        })),
    },
  ]
  useEffect(() => {
    if (query !== '') selectFirst()
  })
  return (
    <Spotlight
      store={store}
      actions={actions.filter((group) => group.actions.length > 0)}
      shortcut={null}
      query={query}
      onQueryChange={setQuery}
      scrollable
      maxHeight="60dvh"
      highlightQuery
      nothingFound={t(($) => $.palette.nothing)}
      searchProps={{
        placeholder: t(($) => $.palette.placeholder),
        'aria-label': t(($) => $.palette.placeholder),
        leftSection: icon(Search),
      }}
      attributes={{ content: { 'aria-label': t(($) => $.shell.search) } }}
    />
  )
}

/** The list does so itself when somebody types, and what the server finds comes later. */
function selectFirst() {
  const list = document.getElementById(store.getState().listId)
  const first = list?.querySelector('[data-action]')
  if (!first || list?.querySelector('[data-selected]')) return
  first.setAttribute('data-selected', 'true')
  store.updateState((state) => ({ ...state, selected: 0 }))
}
