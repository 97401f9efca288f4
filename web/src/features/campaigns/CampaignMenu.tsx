import { ActionIcon, Menu } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Copy, Ellipsis, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  duplicateCampaignMutation,
  listCampaignSummariesInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { CampaignSummary } from '../../api/generated/types.gen.ts'
import { useAttempt } from '../../lib/attempt.ts'

interface CampaignMenuProps {
  campaign: CampaignSummary
  onDelete: () => void
}

export function CampaignMenu({ campaign, onDelete }: CampaignMenuProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const attempt = useAttempt()
  const { id, name, status } = campaign
  const duplicate = useMutation({
    ...duplicateCampaignMutation(),
    async onSuccess(copy) {
      attempt.renew()
      await cache.invalidateQueries({ queryKey: listCampaignSummariesInfiniteQueryKey() })
      notifications.show({ message: t(($) => $.campaigns.duplicated, { name: copy.name }) })
    },
    onError: ({ message }) => notifications.show({ color: 'red', message }),
  })
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          loading={duplicate.isPending}
          aria-label={t(($) => $.campaigns.actionsFor, { name })}
        >
          <Ellipsis size="1rem" aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<Copy size="1rem" aria-hidden />}
          onClick={() => duplicate.mutate({ headers: attempt.headers(), path: { id } })}
        >
          {t(($) => $.campaigns.duplicate)}
        </Menu.Item>
        {status === 'draft' && (
          <Menu.Item
            color="red"
            leftSection={<Trash2 size="1rem" aria-hidden />}
            onClick={onDelete}
          >
            {t(($) => $.campaigns.delete.action)}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
