import { Drawer } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../lib/lazy-part.ts'
import classes from './Launch.module.css'
import { useDraft } from './useDraft.ts'

const Launch = lazyPart(() => import('./Launch.tsx'), 'Launch')
const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

export function LaunchPanel() {
  const { t } = useTranslation()
  const { panel } = route.useSearch()
  const navigate = route.useNavigate()
  const { campaign, mayChange } = useDraft()
  const close = () => void navigate({ search: (search) => ({ ...search, panel: undefined }) })
  return (
    <Suspense>
      <Drawer
        opened={panel === 'launch' && mayChange && campaign.status !== 'active'}
        onClose={close}
        size={640}
        classNames={{ content: classes.panel, body: classes.body }}
        title={t(($) => $.campaigns.launch[campaign.status === 'draft' ? 'title' : 'titleResume'], {
          name: campaign.name,
        })}
      >
        <Launch onDone={close} />
      </Drawer>
    </Suspense>
  )
}
