import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { getCampaignOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { Page } from '../../ui/Page.tsx'
import { BackToCampaigns } from './BackToCampaigns.tsx'
import { OpenCampaign } from './OpenCampaign.tsx'

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

/** One campaign: what it says, when, to whom, and what came of it. */
export function CampaignPage() {
  const { t } = useTranslation()
  const { id } = route.useParams()
  const campaign = useQuery({ ...getCampaignOptions({ path: { id } }), refetchInterval: 60_000 })
  if (campaign.data) return <OpenCampaign key={id} record={campaign.data} />
  if (campaign.error?.statusCode === 404 || campaign.error?.statusCode === 400) {
    return (
      <EmptyState
        isPage
        title={t(($) => $.notFound.title)}
        body={t(($) => $.campaigns.gone)}
        action={<BackToCampaigns />}
      />
    )
  }
  return (
    <Page title={t(($) => $.campaigns.title)}>
      {campaign.isError ? (
        <FaultNotice fault={campaign.error} onRetry={() => void campaign.refetch()} />
      ) : (
        <LoadingRows rows={8} />
      )}
    </Page>
  )
}
