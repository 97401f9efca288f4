import { Group, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { getHeldBackOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { usePageInTitle } from '../../lib/tab-title.ts'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { BackToCampaigns } from './BackToCampaigns.tsx'
import classes from './CampaignPage.module.css'
import { SavingState } from './SavingState.tsx'
import { SendingState } from './SendingState.tsx'
import { StartAndPause } from './StartAndPause.tsx'
import { ToMailboxes } from './ToMailboxes.tsx'
import { useDraft } from './useDraft.ts'

/** What it is called, whether it sends and why not, and the one thing to do about it. */
export function CampaignHead() {
  const { t } = useTranslation()
  const { campaign, mayChange } = useDraft()
  usePageInTitle(campaign.name)
  const { next_send_at, leads_waiting_for_mailbox: waiting } = campaign.sending_status
  const isHeldBack = campaign.sending_status.leads_held_back > 1
  const { data: heldBack } = useQuery({
    ...getHeldBackOptions({ path: { id: campaign.id } }),
    enabled: isHeldBack,
  })
  return (
    <header>
      <BackToCampaigns />
      <div className={classes.head}>
        <div>
          <Title order={1} className={classes.title}>
            {campaign.name || t(($) => $.campaigns.form.nameMissing)}
          </Title>
          <SendingState campaign={campaign} heldBack={isHeldBack ? heldBack : undefined} />
          {waiting > 0 && (
            <Text size="xs">
              <ToMailboxes />
            </Text>
          )}
          {next_send_at && (
            <Text size="xs" c="dimmed">
              {t(($) => $.campaigns.nextMail)} <RelativeTime at={next_send_at} isAhead />
            </Text>
          )}
        </div>
        {mayChange && (
          <Group gap="sm">
            <SavingState />
            <StartAndPause />
          </Group>
        )}
      </div>
    </header>
  )
}
