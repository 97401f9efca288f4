import { Alert, Anchor, Divider, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { suggestMailboxOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { useWorkspace } from '../users/index.ts'
import { ConsentLogin } from './ConsentLogin.tsx'
import { valuesOf } from './login-form.ts'
import { PasswordLogin } from './PasswordLogin.tsx'
import { consentOf } from './provider-help.ts'

interface ConnectLoginProps {
  address: string
  onDone: (mailbox: Mailbox) => void
}

/** In the way of the provider that the domain's mail servers belong to. */
export function ConnectLogin({ address, onDone }: ConnectLoginProps) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const suggestion = useQuery(suggestMailboxOptions({ query: { address } }))
  const { data, error } = suggestion
  const fault = error && <FaultNotice fault={error} onRetry={() => void suggestion.refetch()} />
  if (!data) return fault ?? <LoadingRows rows={3} />
  const { provider, takes_mail, mailbox_id } = data
  if (mailbox_id) {
    return (
      <Alert color="ink">
        {t(($) => $.mailboxes.connect.there)}{' '}
        <Anchor
          component={Link}
          to={`/w/${handle}/settings/mailboxes/${mailbox_id}`}
          size="sm"
          underline="always"
        >
          {t(($) => $.mailboxes.connect.openIt)}
        </Anchor>
      </Alert>
    )
  }
  const consent = consentOf(provider)
  const name = t(($) => $.mailboxes.providers[provider])
  return (
    <Stack>
      {fault}
      <Text size="sm" c="dimmed">
        {provider === 'other'
          ? t(($) => $.mailboxes.connect.unknownProvider)
          : t(($) => $.mailboxes.connect.knownProvider, { name })}
      </Text>
      {takes_mail === false && (
        <Alert color="yellow">{t(($) => $.mailboxes.connect.takesNoMail)}</Alert>
      )}
      {consent && (
        <>
          <ConsentLogin provider={consent} address={address} />
          <Divider label={t(($) => $.mailboxes.connect.orPassword)} />
        </>
      )}
      <PasswordLogin
        address={address}
        provider={provider}
        firstValues={valuesOf(data)}
        onDone={onDone}
      />
    </Stack>
  )
}
