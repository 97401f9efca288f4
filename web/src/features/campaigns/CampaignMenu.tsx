import { ActionIcon, Menu, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Copy, Ellipsis, Pause, Rocket, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import {
  duplicateCampaignMutation,
  listCampaignSummariesInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { CampaignSummary } from '../../api/generated/types.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { useWorkspace } from '../users/index.ts'
import { usePause } from './usePause.ts'

interface CampaignMenuProps {
  campaign: CampaignSummary
  onDelete: () => void
}

export function CampaignMenu({ campaign, onDelete }: CampaignMenuProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const { id, name, status, contacted } = campaign
  const { handle } = useWorkspace()
  const navigate = useNavigate()
  const { pause, isPending: isPausing } = usePause(id)
  const duplicate = useMutation({
    ...duplicateCampaignMutation(),
    async onSuccess(copy) {
      idempotencyKey.renew()
      await cache.invalidateQueries({ queryKey: listCampaignSummariesInfiniteQueryKey() })
      notifications.show({ message: t(($) => $.campaigns.duplicated, { name: copy.name }) })
    },
    onError: ({ message }) => notifications.show({ color: 'red', message }),
  })
  // What was sent stays known: the server deletes nothing that has a history.
  const kept = contacted > 0 ? 'hasSent' : status === 'active' ? 'isActive' : undefined
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          loading={duplicate.isPending || isPausing}
          aria-label={t(($) => $.campaigns.actionsFor, { name })}
        >
          <Ellipsis size="1rem" aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {status === 'active' && (
          <Menu.Item leftSection={<Pause size="1rem" aria-hidden />} onClick={pause}>
            {t(($) => $.campaigns.launch.pause)}
          </Menu.Item>
        )}
        {status === 'paused' && (
          <Menu.Item
            leftSection={<Rocket size="1rem" aria-hidden />}
            onClick={() =>
              void navigate({
                ...{ to: '/w/$handle/campaigns/$id', params: { handle, id } },
                search: { panel: 'launch' },
              })
            }
          >
            {t(($) => $.campaigns.launch.resume)}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<Copy size="1rem" aria-hidden />}
          onClick={() => duplicate.mutate({ headers: idempotencyKey.headers(), path: { id } })}
        >
          {t(($) => $.campaigns.duplicate)}
        </Menu.Item>
        <Menu.Item
          color="red"
          leftSection={<Trash2 size="1rem" aria-hidden />}
          disabled={kept !== undefined}
          onClick={onDelete}
        >
          {t(($) => $.campaigns.delete.action)}
          {kept && <Text size="xs">{t(($) => $.campaigns.delete[kept])}</Text>}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
