import { Button, Group, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** What was done, and the way back, within a notification. */
export function UndoNotice({ text, onUndo }: { text: string; onUndo: () => void }) {
  const { t } = useTranslation()
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" miw={0}>
        {text}
      </Text>
      <Button variant="subtle" size="compact-sm" onClick={onUndo}>
        {t(($) => $.common.undo)}
      </Button>
    </Group>
  )
}
