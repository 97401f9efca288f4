import {
  Menu,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
  VisuallyHidden,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LogOut, Moon, Sun, UserRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { signOutMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { flushBeforeSignOut, forgetSession } from '../../api/sign-out.ts'
import { useSignedIn } from '../../features/users/index.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import classes from './UserMenu.module.css'

/** @param onNavigate the page of the account was chosen, which may be open */
export function UserMenu({ onNavigate }: { onNavigate: (() => void) | undefined }) {
  const { t } = useTranslation()
  const { user } = useSignedIn()
  const navigate = useNavigate()
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme() === 'dark'
  const [isAsking, asking] = useDisclosure()
  const [lost, setLost] = useState('')
  const signOut = useMutation({
    ...signOutMutation(),
    async onSuccess() {
      forgetSession()
      // Whoever was asked has chosen.
      await navigate({ to: '/sign-in', search: {}, ignoreBlocker: true })
    },
    // The dialog says it by itself; whoever leaves a shared computer must not miss it.
    onError({ message }) {
      if (!isAsking) notifications.show({ color: 'red', message })
    },
  })
  const leave = async () => {
    const sentences = await flushBeforeSignOut()
    setLost([...sentences].join(' '))
    if (sentences.size > 0) asking.open()
    else signOut.mutate({})
  }
  return (
    <>
      <Menu position="top-start" width="target">
        <Menu.Target>
          <UnstyledButton className={classes.button}>
            <VisuallyHidden>{t(($) => $.shell.account)} </VisuallyHidden>
            <span className={classes.name}>{user.name}</span>
            <span className={classes.address}>{user.email}</span>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<UserRound size="1rem" aria-hidden />}
            onClick={() => {
              onNavigate?.()
              void navigate({ to: '/account' })
            }}
          >
            {t(($) => $.shell.account)}
          </Menu.Item>
          <Menu.Item
            leftSection={
              isDark ? <Sun size="1rem" aria-hidden /> : <Moon size="1rem" aria-hidden />
            }
            onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
          >
            {t(($) => (isDark ? $.shell.light : $.shell.dark))}
          </Menu.Item>
          <Menu.Divider />
          <Menu.Item leftSection={<LogOut size="1rem" aria-hidden />} onClick={() => void leave()}>
            {t(($) => $.shell.signOut)}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isAsking && (
        <ConfirmDialog
          title={t(($) => $.shell.leaving.title)}
          body={lost}
          confirm={t(($) => $.shell.signOut)}
          isBusy={signOut.isPending}
          fault={signOut.error}
          onConfirm={() => signOut.mutate({})}
          onClose={asking.close}
        />
      )}
    </>
  )
}
