import { Button, Drawer, Group } from '@mantine/core'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../lib/lazy-part.ts'
import { StateBadge } from '../../ui/StateBadge.tsx'
import { useSignedIn } from '../users/index.ts'
import { ConfirmWithPassword } from './ConfirmWithPassword.tsx'

// With what draws the QR code; most people never open it again.
const EnableSecondFactor = lazyPart(() => import('./EnableSecondFactor.tsx'), 'EnableSecondFactor')

/** Whether a code is asked for besides the password, and what can be done about it. */
export function SecondFactor() {
  const { t } = useTranslation()
  const { user } = useSignedIn()
  const [open, setOpen] = useState<'enable' | 'confirm' | 'store' | 'codes' | 'disable'>()
  const close = () => setOpen(undefined)
  const isOn = user.has_second_factor
  return (
    <>
      <Group>
        <StateBadge tone={isOn ? 'green' : 'gray'}>
          {isOn ? t(($) => $.secondFactor.on) : t(($) => $.secondFactor.off)}
        </StateBadge>
        {isOn ? (
          <>
            <Button variant="default" onClick={() => setOpen('codes')}>
              {t(($) => $.secondFactor.newCodes)}
            </Button>
            <Button variant="subtle" color="red" onClick={() => setOpen('disable')}>
              {t(($) => $.secondFactor.disable)}
            </Button>
          </>
        ) : (
          <Button variant="default" onClick={() => setOpen('enable')}>
            {t(($) => $.secondFactor.enable)}
          </Button>
        )}
      </Group>
      <Suspense>
        <Drawer
          opened={open === 'enable' || open === 'confirm' || open === 'store'}
          // The backup codes are waited for, and once they are there closed by their own button.
          onClose={() => open === 'enable' && close()}
          withCloseButton={open === 'enable'}
          title={t(($) => $.secondFactor.enable)}
        >
          <EnableSecondFactor
            isConfirmed={open === 'store'}
            onConfirm={() => setOpen('confirm')}
            onRefused={() => setOpen('enable')}
            onConfirmed={() => setOpen('store')}
            onDone={close}
          />
        </Drawer>
      </Suspense>
      <ConfirmWithPassword opened={open === 'codes'} verb="codes" onClose={close} />
      <ConfirmWithPassword opened={open === 'disable'} verb="disable" onClose={close} />
    </>
  )
}
