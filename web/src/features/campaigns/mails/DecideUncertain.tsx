import { Button, Group } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  confirmSendArrivedMutation,
  listSendsInfiniteQueryKey,
  repeatSendMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts'
import type { Send } from '../../../api/generated/types.gen.ts'
import { useAttempt } from '../../../lib/attempt.ts'
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx'

/** Nobody knows whether it arrived; a person may. */
export function DecideUncertain({ mail }: { mail: Send }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const attempt = useAttempt()
  const [isAsking, setAsking] = useState(false)
  const name = mail.lead_email ?? ''
  const request = () => ({ path: { id: mail.id }, headers: attempt.headers() })
  const onSuccess = async () => {
    setAsking(false)
    await cache.invalidateQueries({ queryKey: listSendsInfiniteQueryKey() })
  }
  const arrived = useMutation({
    ...confirmSendArrivedMutation(),
    onSuccess,
    onError: ({ message }) => notifications.show({ color: 'red', message }),
  })
  const again = useMutation({ ...repeatSendMutation(), onSuccess })
  return (
    <>
      <Group gap="xs" justify="flex-end" my={4}>
        <Button
          size="compact-sm"
          variant="default"
          loading={arrived.isPending}
          aria-label={t(($) => $.campaigns.mails.arrivedOf, { name })}
          onClick={() => arrived.mutate(request())}
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
      <ConfirmDialog
        opened={isAsking}
        title={t(($) => $.campaigns.mails.againTitle, { name })}
        body={t(($) => $.campaigns.mails.againBody)}
        confirm={t(($) => $.campaigns.mails.again)}
        isBusy={again.isPending}
        fault={again.error}
        onConfirm={() => again.mutate(request())}
        onClose={() => setAsking(false)}
      />
    </>
  )
}
