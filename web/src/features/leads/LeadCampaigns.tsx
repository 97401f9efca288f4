import { Text, Title, UnstyledButton } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { LeadOverview } from '../../api/generated/types.gen.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { LeadStatus } from '../labels/index.ts'
import classes from './LeadPanel.module.css'

interface LeadCampaignsProps {
  campaigns: LeadOverview['campaigns']
  openId: string
  onOpen: (id: string) => void
}

/** Every campaign of the address: nobody should hear from two without anybody's knowing. */
export function LeadCampaigns({ campaigns, openId, onOpen }: LeadCampaignsProps) {
  const { t } = useTranslation()
  return (
    <section>
      <Title order={3} mb={4}>
        {t(($) => $.leads.panel.campaigns, { count: campaigns.length })}
      </Title>
      <ul className={classes.lines}>
        {campaigns.map(({ lead_id, campaign_name, status, timestamp_last_contact }) => (
          <li key={lead_id}>
            {lead_id === openId ? (
              <Text size="sm" fw={500} className={classes.name}>
                {campaign_name}
              </Text>
            ) : (
              <UnstyledButton className={classes.link} onClick={() => onOpen(lead_id)}>
                {campaign_name}
              </UnstyledButton>
            )}
            <LeadStatus status={status} />
            <Text size="xs" c="dimmed" className={classes.when}>
              {timestamp_last_contact ? (
                <RelativeTime at={timestamp_last_contact} />
              ) : (
                t(($) => $.leads.panel.notContacted)
              )}
            </Text>
          </li>
        ))}
      </ul>
    </section>
  )
}
