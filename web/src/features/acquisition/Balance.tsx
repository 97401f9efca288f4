import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { AcquisitionBalance } from '../../api/generated/types.gen.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'

/** How much is left, and until when. */
export function Balance({ balance }: { balance: AcquisitionBalance }) {
  const { t } = useTranslation()
  return (
    <div>
      <Text className="numbers" fw={500} ta="end">
        {t(($) => $.contacts.balance, { count: balance.balance })}
      </Text>
      {balance.period_end && (
        <Text size="xs" c="dimmed" ta="end">
          {t(($) => $.contacts.renewed)} <RelativeTime at={balance.period_end} />
        </Text>
      )}
    </div>
  )
}
