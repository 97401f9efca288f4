import { Button } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Pause, Rocket } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useDraft } from './useDraft.ts'
import { usePause } from './usePause.ts'

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

/** Launch and Resume look at everything first; Pause is done at once, and can be resumed. */
export function StartAndPause() {
  const { t } = useTranslation()
  const navigate = route.useNavigate()
  const { campaign, flush } = useDraft()
  const { id, status } = campaign
  const { pause, isPending: isPausing } = usePause(id)
  if (status === 'active') {
    return (
      <Button
        variant="default"
        leftSection={<Pause size="1rem" aria-hidden />}
        loading={isPausing}
        onClick={pause}
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
