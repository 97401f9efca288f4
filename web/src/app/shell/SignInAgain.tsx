import { Modal, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { readEverythingAgain } from '../../api/caches.ts'
import { setConnection } from '../../api/connection.ts'
import { SignInForm } from '../../features/users/index.ts'

/** The session ended while somebody works: they go on where they were. */
export default function SignInAgain({ email }: { email: string }) {
  const { t } = useTranslation()
  const goOn = async () => {
    setConnection('well')
    await readEverythingAgain()
  }
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
      </Stack>
    </Modal>
  )
}
