import { Menu, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { Check, ChevronsUpDown, Plus } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useSignedIn } from '../../features/users/index.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { useShownWorkspace } from './useShownWorkspace.ts'
import classes from './WorkspaceSwitcher.module.css'

// Few may, and seldom.
const CreateWorkspace = lazyPart(
  () => import('../../features/workspaces/CreateWorkspace.tsx'),
  'CreateWorkspace',
)

/** @param onNavigate a workspace was chosen, maybe the one that is open */
export function WorkspaceSwitcher({ onNavigate }: { onNavigate: (() => void) | undefined }) {
  const { t } = useTranslation()
  const { user, workspaces } = useSignedIn()
  const [isCreating, creation] = useDisclosure()
  const shown = useShownWorkspace()
  const navigate = useNavigate()
  if (!shown) return null
  return (
    <>
      <Menu position="bottom-start" width="target">
        <Menu.Target>
          <UnstyledButton className={classes.button}>
            <VisuallyHidden>{t(($) => $.shell.workspace)} </VisuallyHidden>
            <span className={classes.initial} aria-hidden>
              {[...shown.name][0]?.toUpperCase()}
            </span>
            <span className={classes.name}>{shown.name}</span>
            <ChevronsUpDown size="0.875rem" aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t(($) => $.shell.workspaces)}</Menu.Label>
          {workspaces.map(({ id, handle, name }) => (
            <Menu.Item
              key={id}
              rightSection={id === shown.id && <Check size="1rem" aria-hidden />}
              onClick={() => {
                onNavigate?.()
                void navigate({ to: '/w/$handle', params: { handle } })
              }}
            >
              {name}
            </Menu.Item>
          ))}
          {user.is_operator && (
            <>
              <Menu.Divider />
              <Menu.Item leftSection={<Plus size="1rem" aria-hidden />} onClick={creation.open}>
                {t(($) => $.newWorkspace.action)}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      <Suspense>{isCreating && <CreateWorkspace onClose={creation.close} />}</Suspense>
    </>
  )
}
