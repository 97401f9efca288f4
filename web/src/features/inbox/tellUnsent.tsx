import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'

interface UnsentProps {
  /** Who does not get it. */
  address: string
  reason: string
  onOpen: () => void
}

/** Tells somebody who has gone on that an answer was not sent, and stays until they have seen it. */
export function tellUnsent({ onOpen, ...rest }: UnsentProps) {
  const open = () => {
    notifications.hide(id)
    onOpen()
  }
  const message = <UnsentNotice {...rest} onOpen={open} />
  const id = notifications.show({ color: 'red', autoClose: false, message })
}

function UnsentNotice({ address, reason, onOpen }: UnsentProps) {
  const { t } = useTranslation()
  return (
    <Group justify="space-between" wrap="nowrap">
      <Text size="sm">
        {t(($) => $.inbox.notSent, { address })} {reason}
      </Text>
      <Button variant="subtle" size="compact-sm" miw="max-content" onClick={onOpen}>
        {t(($) => $.inbox.showDraft)}
      </Button>
    </Group>
  )
}
