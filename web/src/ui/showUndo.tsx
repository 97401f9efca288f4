import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'

const shownMs = 8000

interface UndoNotice {
  /** What was done. */
  message: string
  /** On the button. */
  undo: string
  onUndo: () => void
}

/** Says what was done, and for a while offers to undo it. */
export function showUndo({ message, undo, onUndo }: UndoNotice) {
  const id = notifications.show({
    autoClose: shownMs,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          variant="subtle"
          size="compact-sm"
          onClick={() => {
            notifications.hide(id)
            onUndo()
          }}
        >
          {undo}
        </Button>
      </Group>
    ),
  })
}
