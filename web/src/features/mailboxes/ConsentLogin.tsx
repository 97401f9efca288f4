import { Anchor, Button, Code, Group, Stack, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  beginConsentMutation,
  beginReconnectMutation,
  getConsentSettingsOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { Secret } from '../../ui/Secret.tsx'
import { useSignedIn } from '../users/index.ts'
import { type AskedConsent, keepAsked } from './asked-consent.ts'
import classes from './ConsentLogin.module.css'

/** At the provider's own page, which sends the person back to ours. */
export function ConsentLogin({ provider, address, mailboxId }: AskedConsent) {
  const { t } = useTranslation()
  const { user } = useSignedIn()
  const settings = useQuery(getConsentSettingsOptions())
  const leave = { onSuccess: ({ url }: { url: string }) => location.assign(url) }
  const begin = useMutation({ ...beginConsentMutation(), ...leave })
  const reconnect = useMutation({ ...beginReconnectMutation(), ...leave })
  if (settings.isPending) return <LoadingRows rows={1} />
  if (settings.isError) return <QueryFault query={settings} />
  const { redirect_url, providers } = settings.data
  const { client_id, scopes, admin_url } = providers.find((each) => each.provider === provider) ?? {
    ...{ client_id: null, scopes: [], admin_url: null },
  }
  const name = t(($) => $.mailboxes.providers[provider])
  const scopeList = (
    <ul className={classes.scopes}>
      {scopes.map((scope) => (
        <li key={scope}>
          <Code>{scope}</Code>
        </li>
      ))}
    </ul>
  )
  if (client_id === null) {
    return (
      <details className={classes.details}>
        <summary>{t(($) => $.mailboxes.consent.setUp, { name })}</summary>
        <Stack gap="sm">
          <Text size="sm">{t(($) => $.mailboxes.consent.setUpBody[provider])}</Text>
          <Secret label={t(($) => $.mailboxes.consent.redirect)} value={redirect_url} />
          <div>
            <Text size="sm" fw={500}>
              {t(($) => $.mailboxes.consent.scopes)}
            </Text>
            {scopeList}
          </div>
          <Text size="sm">
            {t(($) => $.mailboxes.consent.configure)}{' '}
            <Code>{`${provider.toUpperCase()}_CLIENT_ID`}</Code>{' '}
            <Code>{`${provider.toUpperCase()}_CLIENT_SECRET`}</Code>
          </Text>
        </Stack>
      </details>
    )
  }
  const go = () => {
    keepAsked(user.id, { provider, address, ...(mailboxId ? { mailboxId } : {}) })
    if (mailboxId === undefined) begin.mutate({ body: { provider, address } })
    else reconnect.mutate({ path: { id: mailboxId }, body: { provider } })
  }
  const fault = begin.error ?? reconnect.error
  return (
    <Stack gap="sm">
      {fault && <FaultNotice fault={fault} />}
      <Text size="sm">{t(($) => $.mailboxes.consent.lead, { name })}</Text>
      <Group>
        <Button loading={begin.isPending || reconnect.isPending} onClick={go}>
          {mailboxId === undefined
            ? t(($) => $.mailboxes.consent.connect, { name })
            : t(($) => $.mailboxes.consent.reconnect, { name })}
        </Button>
      </Group>
      <details className={classes.details}>
        <summary>{t(($) => $.mailboxes.consent.scopes)}</summary>
        {scopeList}
      </details>
      <details className={classes.details}>
        <summary>{t(($) => $.mailboxes.consent.blocked)}</summary>
        <Stack gap="sm">
          <Text size="sm">{t(($) => $.mailboxes.consent.blockedBody[provider])}</Text>
          <Secret label={t(($) => $.mailboxes.consent.clientId)} value={client_id} />
          {admin_url && (
            <Anchor href={admin_url} target="_blank" rel="noreferrer" size="sm">
              {t(($) => $.mailboxes.consent.adminPage)}
            </Anchor>
          )}
        </Stack>
      </details>
    </Stack>
  )
}
