import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { setLeadStatusMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'
import { readInboxAgain } from './refresh.ts'

interface UnsubscribeProps {
  campaignId: string
  email: string
  /** They have asked for it. */
  isAsked: boolean
}

/** Asks first: the address is suppressed for every campaign, and no undo takes that back. */
export function Unsubscribe({ campaignId, email, isAsked }: UnsubscribeProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const [isAsking, dialog] = useDisclosure()
  const unsubscribe = useMutation({
    ...setLeadStatusMutation(),
    async onSuccess() {
      dialog.close()
      await readInboxAgain(cache)
    },
  })
  const body = { campaign_id: campaignId, email, new_status: 'unsubscribed' }
  return (
    <>
      <Button size="xs" variant={isAsked ? 'filled' : 'default'} onClick={dialog.open}>
        {t(($) => $.inbox.lead.unsubscribe)}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t(($) => $.inbox.unsubscribe.title, { email })}
          body={t(($) => $.inbox.unsubscribe.body)}
          confirm={t(($) => $.inbox.lead.unsubscribe)}
          isBusy={unsubscribe.isPending}
          fault={unsubscribe.error}
          onConfirm={() => unsubscribe.mutate({ body, headers: idempotencyKey.headers() })}
          onClose={dialog.close}
        />
      )}
    </>
  )
}
