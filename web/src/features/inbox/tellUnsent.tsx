import { Button, Group, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useTranslation } from 'react-i18next'

interface UnsentProps {
  threadId: string
  /** Who does not get it. */
  address: string
  reason: string
  onOpen: () => void
}

/** Tells somebody who has gone on that an answer was not sent, and stays until they have seen it. */
export function tellUnsent({ threadId, onOpen, ...rest }: UnsentProps) {
  const open = () => {
    forgetUnsent(threadId)
    onOpen()
  }
  const message = <UnsentNotice {...rest} onOpen={open} />
  notifications.show({ id: noticeOf(threadId), color: 'red', autoClose: false, message })
}

/** It was sent after all. */
export const forgetUnsent = (threadId: string) => notifications.hide(noticeOf(threadId))

const noticeOf = (threadId: string) => `unsent ${threadId}`

function UnsentNotice({ address, reason, onOpen }: Omit<UnsentProps, 'threadId'>) {
  const { t } = useTranslation()
  return (
    <Group justify="space-between" gap="xs">
      <Text size="sm" miw={0}>
        {t(($) => $.inbox.notSent, { address })} {reason}
      </Text>
      <Button variant="subtle" size="compact-sm" onClick={onOpen}>
        {t(($) => $.inbox.showDraft)}
      </Button>
    </Group>
  )
}
