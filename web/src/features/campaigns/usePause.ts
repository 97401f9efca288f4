import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  getCampaignQueryKey,
  listCampaignSummariesInfiniteQueryKey,
  updateCampaignMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'

/** Pausing is done at once, and can be resumed. */
export function usePause(id: string) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { mutate, isPending } = useMutation({
    ...updateCampaignMutation(),
    onSuccess(paused) {
      cache.setQueryData(getCampaignQueryKey({ path: { id } }), paused)
      void cache.invalidateQueries({ queryKey: listCampaignSummariesInfiniteQueryKey() })
      notifications.show({ message: t(($) => $.campaigns.launch.paused) })
    },
    onError: ({ message }) => notifications.show({ color: 'red', message }),
  })
  return { pause: () => mutate({ path: { id }, body: { status: 'paused' } }), isPending }
}
