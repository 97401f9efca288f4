import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  listOwnSessionsOptions,
  listOwnSessionsQueryKey,
  revokeOtherSessionsMutation,
  revokeOwnSessionMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { StateBadge } from '../../ui/StateBadge.tsx'
import { browserOf } from './browser-of.ts'
import classes from './SessionList.module.css'

/** Where this person is signed in. */
export function SessionList() {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const sessions = useQuery(listOwnSessionsOptions())
  const onSuccess = () => cache.invalidateQueries({ queryKey: listOwnSessionsQueryKey() })
  const revoke = useMutation({ ...revokeOwnSessionMutation(), onSuccess })
  const revokeOthers = useMutation({ ...revokeOtherSessionsMutation(), onSuccess })
  const fault = revoke.error ?? revokeOthers.error

  if (sessions.isPending) return <LoadingRows rows={2} />
  if (!sessions.data) return <QueryFault query={sessions} />
  const { items } = sessions.data
  return (
    <>
      <QueryFault query={sessions} />
      {fault && <FaultNotice fault={fault} />}
      <ul className={classes.list}>
        {items.map(({ id, user_agent, ip_address, is_current, timestamp_updated }) => (
          <li key={id}>
            <div>
              <Text fw={500}>{browserOf(user_agent) ?? t(($) => $.account.unknownBrowser)}</Text>
              <Text size="sm" c="dimmed">
                {ip_address && `${ip_address} · `}
                {t(($) => $.account.active)} <RelativeTime at={timestamp_updated} />
              </Text>
            </div>
            {is_current ? (
              <StateBadge tone="green">{t(($) => $.account.current)}</StateBadge>
            ) : (
              <Button
                variant="subtle"
                color="red"
                loading={revoke.isPending && revoke.variables.path.id === id}
                onClick={() => revoke.mutate({ path: { id } })}
              >
                {t(($) => $.account.revoke)}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {items.length > 1 && (
        <Group mt="sm">
          <Button
            variant="default"
            loading={revokeOthers.isPending}
            onClick={() => revokeOthers.mutate({})}
          >
            {t(($) => $.account.revokeOthers)}
          </Button>
        </Group>
      )}
    </>
  )
}
