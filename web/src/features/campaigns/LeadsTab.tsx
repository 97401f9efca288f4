import { Button, Group, Stack, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useWorkspace } from '../users/index.ts'
import { useDraft } from './useDraft.ts'

const counts = ['total', 'active', 'completed', 'replied', 'bounced', 'unsubscribed'] as const

/** How many there are of each kind; the people themselves are on the page of leads. */
export default function LeadsTab() {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const { campaign } = useDraft()
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
      <Button component="a" href={`/w/${handle}/leads?campaign=${campaign.id}`}>
        {t(($) => $.campaigns.leads.show)}
      </Button>
    </Stack>
  )
}
