import { Drawer } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { useDraft } from './useDraft.ts'

const Launch = lazy(() => import('./Launch.tsx'))
const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

export function LaunchPanel() {
  const { t } = useTranslation()
  const { panel } = route.useSearch()
  const navigate = route.useNavigate()
  const { campaign, mayChange } = useDraft()
  const close = () => void navigate({ search: (search) => ({ ...search, panel: undefined }) })
  return (
    <Drawer
      opened={panel === 'launch' && mayChange && campaign.status !== 'active'}
      onClose={close}
      size={640}
      title={t(($) => $.campaigns.launch.title, { name: campaign.name })}
    >
      <Suspense fallback={<LoadingRows rows={6} />}>
        <Launch onDone={close} />
      </Suspense>
    </Drawer>
  )
}
