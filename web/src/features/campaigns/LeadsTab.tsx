import { Group, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { ImportLeads } from '../leads/index.ts'
import { useWorkspace } from '../users/index.ts'
import classes from './CampaignPage.module.css'
import { useDraft } from './useDraft.ts'

const counts = ['total', 'active', 'completed', 'replied', 'bounced', 'unsubscribed'] as const

/** How many there are of each kind; the people themselves are on the page of leads. */
export default function LeadsTab() {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { campaign, mayChange } = useDraft()
  return (
    <Stack align="flex-start">
      <Group gap="xl">
        {counts.map((name) => (
          <div key={name}>
            <Text size="xl" className="numbers">
              {campaign.lead_counts[name].toLocaleString('en')}
            </Text>
            <Text size="xs" c="dimmed">
              {t(($) => $.campaigns.leads[name])}
            </Text>
          </div>
        ))}
      </Group>
      <Group gap="xl">
        {mayChange && <ImportLeads campaignId={campaign.id} />}
        <Link
          to="/w/$handle/leads"
          params={{ handle }}
          search={{ campaign: campaign.id }}
          className={classes.link}
        >
          {t(($) => $.campaigns.leads.show)}
        </Link>
      </Group>
    </Stack>
  )
}
