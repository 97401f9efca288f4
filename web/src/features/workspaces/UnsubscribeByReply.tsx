import { Switch } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  getWorkspaceQueryKey,
  updateWorkspaceMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Workspace } from '../../api/generated/types.gen.ts'
import { useMay } from '../users/index.ts'

/** Saved when it is switched, because it is a single thing. */
export function UnsubscribeByReply({ workspace }: { workspace: Workspace }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const mayChange = useMay('admin')
  const update = useMutation({
    ...updateWorkspaceMutation(),
    // Switched back while it is saved, it is saved twice, one after the other.
    scope: { id: 'unsubscribe-by-reply' },
    onSuccess: (updated) => cache.setQueryData(getWorkspaceQueryKey(), updated),
    onError: ({ message }) => notifications.show({ color: 'red', message }),
  })
  const wanted = update.isPending ? update.variables.body.unsubscribe_by_reply : undefined
  return (
    <Switch
      label={t(($) => $.workspace.unsubscribeByReply)}
      description={t(($) => $.workspace.unsubscribeHint)}
      disabled={!mayChange}
      checked={wanted ?? workspace.unsubscribe_by_reply}
      onChange={(event) =>
        update.mutate({ body: { unsubscribe_by_reply: event.currentTarget.checked } })
      }
    />
  )
}
