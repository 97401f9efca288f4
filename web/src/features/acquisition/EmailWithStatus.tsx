import { Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AcquiredEmail } from '../../api/generated/types.gen.ts'
import { StateBadge, type Tone } from '../../ui/StateBadge.tsx'

const tones: Record<NonNullable<AcquiredEmail['email_status']>, Tone> = {
  verified: 'green',
  likely: 'amber',
  unknown: 'gray',
}

/** An address, and how sure it is. */
export function EmailWithStatus({
  found,
}: {
  found: Pick<AcquiredEmail, 'email' | 'email_status'>
}) {
  const { t } = useTranslation()
  const { email, email_status } = found
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm" truncate title={email ?? undefined}>
        {email}
      </Text>
      {email_status && (
        <StateBadge tone={tones[email_status]}>
          {t(($) => $.contacts.addressStatus[email_status])}
        </StateBadge>
      )}
    </Group>
  )
}
