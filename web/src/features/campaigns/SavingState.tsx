import { Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { sentencesOf } from './save-accepted.ts'
import { useDraft } from './useDraft.ts'

/** Whether what was typed has reached the server; nothing has to be pressed for it. */
export function SavingState() {
  const { t } = useTranslation()
  const { saving, fault } = useDraft()
  const isBad = saving === 'refused' || saving === 'conflict'
  return (
    <Text
      role="status"
      size="xs"
      maw="24rem"
      c={isBad ? 'var(--red-text)' : 'dimmed'}
      data-saving={saving}
    >
      {saving === 'refused'
        ? t(($) => $.campaigns.saving.refused, {
            message: fault ? sentencesOf(fault).join('; ') : '',
          })
        : t(($) => $.campaigns.saving[saving])}
    </Text>
  )
}
