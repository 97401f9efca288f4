import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  deleteCampaignMutation,
  listCampaignSummariesInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { CampaignSummary } from '../../api/generated/types.gen.ts'
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx'

interface DeleteCampaignProps {
  campaign: CampaignSummary
  onClose: () => void
}

export function DeleteCampaign({ campaign, onClose }: DeleteCampaignProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const remove = useMutation({
    ...deleteCampaignMutation(),
    async onSuccess() {
      await cache.invalidateQueries({ queryKey: listCampaignSummariesInfiniteQueryKey() })
      notifications.show({ message: t(($) => $.campaigns.delete.done) })
      onClose()
    },
  })
  const count = campaign.lead_counts.total
  return (
    <ConfirmDialog
      title={t(($) => $.campaigns.delete.title, { name: campaign.name })}
      body={
        count === 0
          ? t(($) => $.campaigns.delete.body)
          : t(($) => $.campaigns.delete.bodyWithLeads, { count })
      }
      confirm={t(($) => $.campaigns.delete.action)}
      isBusy={remove.isPending}
      fault={remove.error}
      onConfirm={() => remove.mutate({ path: { id: campaign.id } })}
      onClose={onClose}
    />
  )
}
