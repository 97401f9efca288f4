import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Pause, Rocket } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  getCampaignQueryKey,
  listCampaignSummariesInfiniteQueryKey,
  updateCampaignMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { useDraft } from './useDraft.ts'

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

/** Launch and Resume look at everything first; Pause is done at once, and can be resumed. */
export function StartAndPause() {
  const { t } = useTranslation()
  const navigate = route.useNavigate()
  const cache = useQueryClient()
  const { campaign, flush } = useDraft()
  const { id, status } = campaign
  const pause = useMutation({
    ...updateCampaignMutation(),
    onSuccess(paused) {
      cache.setQueryData(getCampaignQueryKey({ path: { id } }), paused)
      void cache.invalidateQueries({ queryKey: listCampaignSummariesInfiniteQueryKey() })
      notifications.show({ message: t(($) => $.campaigns.launch.paused) })
    },
    onError: ({ message }) => notifications.show({ color: 'red', message }),
  })
  if (status === 'active') {
    return (
      <Button
        variant="default"
        leftSection={<Pause size="1rem" aria-hidden />}
        loading={pause.isPending}
        onClick={() => pause.mutate({ path: { id }, body: { status: 'paused' } })}
      >
        {t(($) => $.campaigns.launch.pause)}
      </Button>
    )
  }
  const open = async () => {
    await flush()
    await navigate({ search: (search) => ({ ...search, panel: 'launch' }) })
  }
  return (
    <Button leftSection={<Rocket size="1rem" aria-hidden />} onClick={() => void open()}>
      {status === 'draft'
        ? t(($) => $.campaigns.launch.action)
        : t(($) => $.campaigns.launch.resume)}
    </Button>
  )
}
