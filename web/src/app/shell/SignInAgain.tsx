import { Modal, Stack, Text } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { readEverythingAgain } from '../../api/caches.ts'
import { setConnection } from '../../api/connection.ts'
import { getSession } from '../../api/generated/sdk.gen.ts'
import { SignInForm, SignInWithProvider, useSignedIn } from '../../features/users/index.ts'

/** The session ended while somebody works: they go on where they were. */
export function SignInAgain({ email: shown }: { email: string }) {
  const { t } = useTranslation()
  // Whoever signs in in another tab is not whose page this is.
  const [email] = useState(shown)
  const { oidc_name: oidcName } = useSignedIn()
  const goOn = async () => {
    setConnection('connected')
    await readEverythingAgain()
  }
  const lookAgain = useEffectEvent(async () => {
    if (document.hidden) return
    const { data } = await getSession({ throwOnError: false })
    if (data?.user?.email === email) await goOn()
    // Somebody else works with this browser now: nothing of the other's is shown to them.
    else if (data?.user) location.reload()
  })
  useEffect(() => {
    const look = () => void lookAgain()
    document.addEventListener('visibilitychange', look)
    addEventListener('focus', look)
    return () => {
      document.removeEventListener('visibilitychange', look)
      removeEventListener('focus', look)
    }
  }, [])
  return (
    <Modal
      opened
      // Over whatever dialog is open, in which somebody was about to do something.
      zIndex={400}
      onClose={() => undefined}
      withCloseButton={false}
      title={t(($) => $.session.expired)}
    >
      <Stack>
        <Text>{t(($) => $.session.again, { email })}</Text>
        <SignInForm email={email} onDone={goOn} />
        {oidcName && <SignInWithProvider name={oidcName} opensTab />}
      </Stack>
    </Modal>
  )
}
