import { Divider, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { ConsentLogin } from './ConsentLogin.tsx'
import { valuesOfMailbox } from './login-form.ts'
import { PasswordLogin } from './PasswordLogin.tsx'
import { consentOf } from './provider-help.ts'

interface ChangeLoginProps {
  mailbox: Mailbox
  /** Called once the login is changed, which is to be tested now. */
  onDone: () => void
}

/** Of a mailbox that is there: its conversations, limits and campaigns stay as they are. */
export function ChangeLogin({ mailbox, onDone }: ChangeLoginProps) {
  const { t } = useTranslation()
  const consent = mailbox.consent ?? consentOf(mailbox.provider)
  return (
    <Stack>
      {consent && (
        <>
          <ConsentLogin provider={consent} address={mailbox.address} mailboxId={mailbox.id} />
          <Divider label={t(($) => $.mailboxes.connect.orPassword)} />
        </>
      )}
      <PasswordLogin
        address={mailbox.address}
        provider={mailbox.provider}
        firstValues={valuesOfMailbox(mailbox)}
        mailbox={mailbox}
        onDone={onDone}
      />
    </Stack>
  )
}
