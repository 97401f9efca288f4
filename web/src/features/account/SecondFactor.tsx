import { Button, Drawer, Group } from '@mantine/core'
import { getRouteApi, Navigate } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../lib/lazy-part.ts'
import { StateBadge } from '../../ui/StateBadge.tsx'
import { useSignedIn } from '../users/index.ts'
import { ConfirmWithPassword } from './ConfirmWithPassword.tsx'

// With what draws the QR code; most people never open it again.
const EnableSecondFactor = lazyPart(() => import('./EnableSecondFactor.tsx'), 'EnableSecondFactor')

const route = getRouteApi('/signed-in/account')

/** Whether a code is asked for besides the password, and what can be done about it. */
export function SecondFactor() {
  const { t } = useTranslation()
  const { user } = useSignedIn()
  const { panel } = route.useSearch()
  const navigate = route.useNavigate()
  // Setting it up begins by the address, and goes on here: nobody comes back to codes that are shown once.
  const [open, setOpen] = useState<'confirm' | 'store' | 'codes' | 'disable'>()
  const close = () => setOpen(undefined)
  const end = () => {
    close()
    void navigate({ search: {} })
  }
  const isOn = user.has_second_factor
  const isAsked = panel === 'second-factor'
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
          <Button
            variant="default"
            onClick={() => void navigate({ search: { panel: 'second-factor' } })}
          >
            {t(($) => $.secondFactor.enable)}
          </Button>
        )}
      </Group>
      {isOn && isAsked && !open && <Navigate to="/account" search={{}} replace />}
      <Suspense>
        <Drawer
          opened={open === 'confirm' || open === 'store' || (isAsked && !isOn)}
          // The backup codes are waited for, and once they are there closed by their own button.
          onClose={() => open || end()}
          withCloseButton={!open}
          title={t(($) => $.secondFactor.enable)}
        >
          <EnableSecondFactor
            isConfirmed={open === 'store'}
            onConfirm={() => setOpen('confirm')}
            onRefused={close}
            onConfirmed={() => setOpen('store')}
            onDone={end}
          />
        </Drawer>
      </Suspense>
      {(open === 'codes' || open === 'disable') && (
        <ConfirmWithPassword verb={open} onClose={close} />
      )}
    </>
  )
}
