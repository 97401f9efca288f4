import { Group, Title } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { usePageInTitle } from '../../lib/tab-title.ts'
import classes from './CampaignPage.module.css'
import { SavingState } from './SavingState.tsx'
import { SendingState } from './SendingState.tsx'
import { StartAndPause } from './StartAndPause.tsx'
import { ToList } from './ToList.tsx'
import { useDraft } from './useDraft.ts'

/** What it is called, whether it sends and why not, and the one thing to do about it. */
export function CampaignHead() {
  const { t } = useTranslation()
  const { campaign, mayChange } = useDraft()
  usePageInTitle(campaign.name)
  return (
    <header>
      <ToList />
      <div className={classes.head}>
        <div>
          <Title order={1} className={classes.title}>
            {campaign.name || t(($) => $.campaigns.form.nameMissing)}
          </Title>
          <SendingState campaign={campaign} />
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
