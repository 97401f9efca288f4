import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  confirmSendArrivedMutation,
  repeatSendMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts'
import { readAgain } from '../../../api/read-again.ts'
import { useIdempotencyKey } from '../../../lib/idempotency-key.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'

interface DecideUncertainProps {
  /** Of the send. */
  id: string
  /** Whom it went to. */
  name: string
}

/** Nobody knows whether a mail arrived; a person may. */
export function DecideUncertain({ id, name }: DecideUncertainProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const [isAsking, setAsking] = useState(false)
  const request = (as: 'arrived' | 'again') => ({
    path: { id },
    headers: idempotencyKey.headers(as),
  })
  const onSuccess = async () => {
    setAsking(false)
    await readAgain(cache, ['listSends', 'getThread', 'listThreads', 'getHome'])
  }
  const arrived = useMutation({
    ...confirmSendArrivedMutation(),
    onSuccess,
    onError: ({ message }) => notifications.show({ color: 'red', message }),
  })
  const again = useMutation({
    ...repeatSendMutation(),
    onSuccess: ({ reasons }) => {
      if (reasons.length > 0) {
        const message = t(($) => $.campaigns.mails.againLater, { reasons: reasons.join(' ') })
        notifications.show({ color: 'yellow', message, autoClose: false })
      }
      return onSuccess()
    },
  })
  return (
    <>
      <Group gap="xs" justify="flex-end" my={4}>
        <Button
          size="compact-sm"
          variant="default"
          loading={arrived.isPending}
          aria-label={t(($) => $.campaigns.mails.arrivedOf, { name })}
          onClick={() => arrived.mutate(request('arrived'))}
        >
          {t(($) => $.campaigns.mails.arrived)}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          aria-label={t(($) => $.campaigns.mails.againOf, { name })}
          onClick={() => setAsking(true)}
        >
          {t(($) => $.campaigns.mails.again)}
        </Button>
      </Group>
      {isAsking && (
        <ConfirmDialog
          title={t(($) => $.campaigns.mails.againTitle, { name })}
          body={t(($) => $.campaigns.mails.againBody)}
          confirm={t(($) => $.campaigns.mails.again)}
          isBusy={again.isPending}
          fault={again.error}
          onConfirm={() => again.mutate(request('again'))}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  )
}
