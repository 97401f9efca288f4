import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** What was done, and the way back. */
export function UndoNotice({ text, onUndo }: { text: string; onUndo: () => void }) {
  const { t } = useTranslation()
  return (
    <Group justify="space-between" wrap="nowrap">
      {text}
      <Button variant="subtle" size="compact-sm" onClick={onUndo}>
        {t(($) => $.inbox.undo)}
      </Button>
    </Group>
  )
}
