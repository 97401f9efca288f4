import { Group, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { numberText } from '../../lib/number.ts'
import { ImportLeads, Leads, useCampaigns } from '../leads/index.ts'
import classes from './LeadsTab.module.css'
import { type CampaignSearch, campaignSearchOf } from './search.ts'
import { useDraft } from './useDraft.ts'

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

const counts = ['total', 'active', 'completed', 'replied', 'bounced', 'unsubscribed'] as const

/** Without the campaign, which all of them have. */
const columns = 'name,company,title,status,sending,step,contacted'

/** How many there are of each kind, and the people themselves, as on the page of all leads. */
export function LeadsTab() {
  const { t } = useTranslation()
  const { campaign, mayChange } = useDraft()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { campaigns } = useCampaigns()
  const open = useCallback(
    (lead: string | undefined) =>
      void navigate({ search: (before: CampaignSearch) => ({ ...before, lead }) }),
    [navigate],
  )
  const importing = mayChange && <ImportLeads campaignId={campaign.id} />
  const { q, status, sending, label, added, contacted, lead } = search
  return (
    <>
      <Group justify="space-between" align="flex-start" mb="md">
        <Group gap="xl">
          {counts.map((name) => (
            <div key={name}>
              <Text size="xl" className="numbers">
                {numberText(campaign.lead_counts[name])}
              </Text>
              <Text size="xs" c="dimmed">
                {t(($) => $.campaigns.leads[name])}
              </Text>
            </div>
          ))}
        </Group>
        {importing}
      </Group>
      <div className={classes.leads}>
        <Leads
          search={{ q, status, sending, label, added, contacted, lead, columns }}
          campaigns={campaigns}
          campaignId={campaign.id}
          onFilter={(filter) => {
            // An open panel stays as it is: filters are no leaving.
            const search = campaignSearchOf({ ...filter, lead, tab: 'leads' })
            void navigate({ search, replace: true })
          }}
          onOpen={open}
          whenEmpty={importing}
        />
      </div>
    </>
  )
}
