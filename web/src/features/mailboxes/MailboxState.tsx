import { Alert, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { MailboxHealth } from './MailboxHealth.tsx'
import { healthOf } from './mailbox-health.ts'
import { SentToday } from './SentToday.tsx'

/** Whether it works, and if not: why, and what to do. */
export function MailboxState({ mailbox }: { mailbox: Mailbox }) {
  const { t } = useTranslation()
  const { status_reason, inbox_read_at, timestamp_access_renewed, imap } = mailbox
  const health = healthOf(mailbox)
  const cause = status_reason ?? t(($) => $.mailboxes.health[health].cause)
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <MailboxHealth mailbox={mailbox} />
        <Group gap="xs">
          <Text size="sm" c="dimmed">
            {t(($) => $.mailboxes.columns.sent)}
          </Text>
          <SentToday mailbox={mailbox} />
        </Group>
      </Group>
      {health === 'error' ? (
        <Alert color="red" role="alert">
          {cause}
        </Alert>
      ) : (
        <Text size="sm">{cause}</Text>
      )}
      <Text size="sm" c="dimmed">
        {t(($) => $.mailboxes.state.read)}{' '}
        {inbox_read_at ? <RelativeTime at={inbox_read_at} /> : t(($) => $.mailboxes.state.notYet)}
      </Text>
      {imap.login === 'oauth2' && (
        <Text size="sm" c="dimmed">
          {t(($) => $.mailboxes.state.renewed)}{' '}
          {timestamp_access_renewed ? (
            <RelativeTime at={timestamp_access_renewed} />
          ) : (
            t(($) => $.mailboxes.state.notYet)
          )}
        </Text>
      )}
    </Stack>
  )
}
