import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  getMailboxQueryKey,
  listMailboxesInfiniteQueryKey,
  pauseMailboxMutation,
  resumeMailboxMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Mailbox } from '../../api/generated/types.gen.ts'

/** Each is the other's undo. */
export function PauseOrResume({ mailbox }: { mailbox: Mailbox }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const outcome = {
    async onSuccess(saved: Mailbox) {
      cache.setQueryData(getMailboxQueryKey({ path: { id: saved.id } }), saved)
      await cache.invalidateQueries({ queryKey: listMailboxesInfiniteQueryKey() })
    },
    onError: ({ message }: { message: string }) => notifications.show({ color: 'red', message }),
  }
  const pause = useMutation({ ...pauseMailboxMutation(), ...outcome })
  const resume = useMutation({ ...resumeMailboxMutation(), ...outcome })
  const path = { id: mailbox.id }
  return mailbox.status === 'connected' ? (
    <Button variant="default" loading={pause.isPending} onClick={() => pause.mutate({ path })}>
      {t(($) => $.mailboxes.pause)}
    </Button>
  ) : (
    <Button loading={resume.isPending} onClick={() => resume.mutate({ path })}>
      {mailbox.status === 'paused' ? t(($) => $.mailboxes.resume) : t(($) => $.mailboxes.retry)}
    </Button>
  )
}
