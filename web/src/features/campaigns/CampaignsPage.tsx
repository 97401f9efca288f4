import { Button, Drawer } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { lazyPart } from '../../lib/lazy-part.ts'
import { Page } from '../../ui/Page.tsx'
import { useMay } from '../users/index.ts'
import { CampaignFilters } from './CampaignFilters.tsx'
import { CampaignList } from './CampaignList.tsx'

const NewCampaign = lazyPart(() => import('./NewCampaign.tsx'), 'NewCampaign')
const route = getRouteApi('/signed-in/w/$handle/campaigns')

/** Every campaign, and why those that do not send do not. */
export function CampaignsPage() {
  const { t } = useTranslation()
  const { panel, ...filter } = route.useSearch()
  const navigate = route.useNavigate()
  const mayChange = useMay('member')
  const close = () => void navigate({ search: filter })
  const create = mayChange && (
    <Button
      leftSection={<Plus size="1rem" aria-hidden />}
      onClick={() => void navigate({ search: { ...filter, panel: 'new' } })}
    >
      {t(($) => $.campaigns.create)}
    </Button>
  )
  return (
    <Page title={t(($) => $.campaigns.title)} lead={t(($) => $.campaigns.lead)} actions={create}>
      <CampaignFilters
        filter={filter}
        onChange={(search) => void navigate({ search, replace: true })}
      />
      <CampaignList
        filter={filter}
        whenEmpty={create}
        onReset={() => void navigate({ search: {} })}
      />
      <Suspense>
        <Drawer
          opened={panel === 'new' && mayChange}
          onClose={close}
          title={t(($) => $.campaigns.form.title)}
        >
          <NewCampaign onCancel={close} />
        </Drawer>
      </Suspense>
    </Page>
  )
}
