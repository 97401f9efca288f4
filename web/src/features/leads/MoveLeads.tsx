import { Button, Group, Modal, Select, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { useCampaigns } from './useCampaigns.ts'

interface MoveLeadsProps {
  opened: boolean
  /** How many leads, in words. */
  what: string
  onMove: (campaignId: string) => void
  onClose: () => void
}

/** To another campaign: where they were written to, they stop and stay. */
export function MoveLeads({ opened, what, onMove, onClose }: MoveLeadsProps) {
  const { t } = useTranslation()
  const { campaigns, query, notRead } = useCampaigns()
  const [campaign, setCampaign] = useState<string | null>(null)
  return (
    <Modal opened={opened} onClose={onClose} title={t(($) => $.leads.move.title, { what })}>
      <Stack>
        <Text>{t(($) => $.leads.move.body)}</Text>
        <QueryFault query={query} />
        <Select
          label={t(($) => $.leads.columns.campaign)}
          data={[...campaigns].map(([value, label]) => ({ value, label }))}
          value={campaign}
          onChange={setCampaign}
          nothingFoundMessage={notRead}
          searchable
          data-autofocus
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t(($) => $.common.cancel)}
          </Button>
          <Button disabled={campaign === null} onClick={() => campaign && onMove(campaign)}>
            {t(($) => $.leads.move.confirm)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
