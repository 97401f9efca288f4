import { useDebouncedValue } from '@mantine/hooks'
import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight'
import { useNavigate } from '@tanstack/react-router'
import {
  Building2,
  Keyboard,
  KeyRound,
  Search,
  Send,
  UserPlus,
  UserRound,
  Webhook,
} from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isAtLeast, useSignedIn } from '../../features/users/index.ts'
import { places } from './places.ts'
import { useFoundRecords } from './useFoundRecords.tsx'
import { useShownWorkspace } from './useShownWorkspace.ts'

export const { open } = spotlight

const waitMs = 200

/** Where to go and what to do, by typing a part of its name. */
export default function CommandPalette({ onShowKeys }: { onShowKeys: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { workspaces } = useSignedIn()
  const workspace = useShownWorkspace()
  const [query, setQuery] = useState('')
  const [asked] = useDebouncedValue(query, waitMs)
  const found = useFoundRecords(workspace, asked)
  const icon = (Icon: typeof Search) => <Icon size="1rem" aria-hidden />
  const goTo = (handle: string) => () => void navigate({ to: '/w/$handle', params: { handle } })

  const inWorkspace = workspace ? { params: { handle: workspace.handle } } : undefined
  const mayWork = workspace !== undefined && isAtLeast(workspace.role, 'member')
  const mayManage = workspace !== undefined && isAtLeast(workspace.role, 'admin')
  const shown = places.filter(({ least }) => workspace && isAtLeast(workspace.role, least))
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
        ...(mayWork && inWorkspace
          ? [
              {
                id: 'new-campaign',
                label: t(($) => $.campaigns.create),
                leftSection: icon(Send),
                onClick: () =>
                  void navigate({
                    to: '/w/$handle/campaigns',
                    ...inWorkspace,
                    search: { panel: 'new' },
                  }),
              },
            ]
          : []),
        ...(mayManage && inWorkspace
          ? [
              {
                id: 'new-key',
                label: t(($) => $.keys.create),
                leftSection: icon(KeyRound),
                onClick: () =>
                  void navigate({
                    to: '/w/$handle/settings/keys',
                    ...inWorkspace,
                    search: { panel: 'new' },
                  }),
              },
              {
                id: 'new-webhook',
                label: t(($) => $.webhooks.create),
                leftSection: icon(Webhook),
                onClick: () =>
                  void navigate({
                    to: '/w/$handle/settings/webhooks',
                    ...inWorkspace,
                    search: { panel: 'new' },
                  }),
              },
              {
                id: 'invite',
                label: t(($) => $.members.invite),
                leftSection: icon(UserPlus),
                onClick: () =>
                  void navigate({
                    to: '/w/$handle/settings/members',
                    ...inWorkspace,
                    search: { panel: 'invite' },
                  }),
              },
            ]
          : []),
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
  return (
    <Spotlight
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
