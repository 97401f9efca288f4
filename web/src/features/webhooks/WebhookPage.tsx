import { Skeleton, Text, Title } from '@mantine/core'
import { useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Suspense, useCallback, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  getWebhookHealthOptions,
  getWebhookOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { usePageInTitle } from '../../lib/tab-title.ts'
import { BackLink } from '../../ui/BackLink.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { useMay } from '../users/index.ts'
import { DeliveryLog } from './DeliveryLog.tsx'
import { deletionOf } from './deletion.ts'
import { HealthSentence } from './HealthSentence.tsx'
import { knownWebhook } from './known-webhook.ts'
import { LogFilters } from './LogFilters.tsx'
import type { WebhookSearch } from './search.ts'
import { tryOutTokenOf } from './try-out.ts'
import { useEventNames } from './useEventNames.ts'
import { WebhookActions } from './WebhookActions.tsx'
import classes from './WebhookPage.module.css'
import { WebhookState } from './WebhookState.tsx'

const route = getRouteApi('/signed-in/w/$handle/settings/webhooks/$id')

// What is read after the log, or opened later.
const MissedNotice = lazyPart(() => import('./MissedNotice.tsx'), 'MissedNotice')
const WebhookDays = lazyPart(() => import('./WebhookDays.tsx'), 'WebhookDays')
const TryOut = lazyPart(() => import('./TryOut.tsx'), 'TryOut')
const AttemptPanel = lazyPart(() => import('./AttemptPanel.tsx'), 'AttemptPanel')
const WebhookPanels = lazyPart(() => import('./WebhookPanels.tsx'), 'WebhookPanels')

/** One webhook: how it does, what it was sent, and what can be done about it. */
export function WebhookPage() {
  const { t } = useTranslation()
  const { id, handle } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const { nameOf } = useEventNames()
  const mayManage = useMay('admin')
  const cache = useQueryClient()
  const path = { id }
  const enabled = useIsMutating({ mutationKey: deletionOf(id) }) === 0
  const webhook = useQuery({
    ...getWebhookOptions({ path }),
    placeholderData: () => knownWebhook(cache, id),
    enabled,
  })
  usePageInTitle(webhook.data?.name ?? t(($) => $.webhooks.title))
  const health = useQuery({ ...getWebhookHealthOptions({ path }), enabled })
  const [isLogRead, setLogRead] = useState(false)
  const onLogRead = useCallback(() => setLogRead(true), [])
  const show = useCallback(
    (changes: WebhookSearch, options = {}) =>
      void navigate({ search: (before) => ({ ...before, ...changes }), ...options }),
    [navigate],
  )
  // From one attempt to the next without a step back for each.
  const hasAttempt = search.attempt !== undefined
  const open = useCallback(
    (attempt: string) => show({ attempt }, { replace: hasAttempt }),
    [show, hasAttempt],
  )
  const replayFrom = (since: string) => show({ panel: 'replay', since })
  const back = (
    <BackLink to="/w/$handle/settings/webhooks" params={{ handle }}>
      {t(($) => $.webhooks.all)}
    </BackLink>
  )
  const { data, error } = webhook
  if (error?.code === 'not_found') {
    return (
      <div className={classes.page}>
        <EmptyState
          isPage
          title={t(($) => $.webhooks.gone.title)}
          body={t(($) => $.webhooks.gone.body)}
          action={back}
        />
      </div>
    )
  }
  const fault = error && <FaultNotice fault={error} onRetry={() => void webhook.refetch()} />
  if (!data) {
    return (
      <div className={classes.page}>
        {back}
        <Title order={1}>{t(($) => $.webhooks.title)}</Title>
        {fault ?? <LoadingRows rows={8} />}
      </div>
    )
  }
  const token = tryOutTokenOf(data.target_hook_url)
  return (
    <div className={classes.page}>
      {back}
      {fault}
      <div className={classes.head}>
        <div className={classes.name}>
          <Title order={1}>{data.name}</Title>
          <WebhookState webhook={data} health={health.data} />
        </div>
        <WebhookActions webhook={data} onPanel={(panel) => show({ panel })} />
      </div>
      <Text size="sm" c="dimmed" className={classes.target}>
        {nameOf(data.event_type)} → {data.target_hook_url}
      </Text>
      <QueryFault query={health} />
      {(health.data || !health.isError) && <HealthSentence webhook={data} health={health.data} />}
      <Suspense>
        {enabled && mayManage && data.status === 'active' && isLogRead && (
          <MissedNotice id={id} onTooMany={replayFrom} />
        )}
      </Suspense>
      {/* What each attempt is counted for comes after what is looked at first. */}
      <Suspense fallback={<Skeleton height={140} />}>
        {isLogRead ? <WebhookDays id={id} /> : <Skeleton height={140} />}
      </Suspense>
      <Suspense>{token && <TryOut token={token} webhookId={id} />}</Suspense>
      <section aria-label={t(($) => $.webhooks.log.title)}>
        <Title order={2} mb="xs">
          {t(($) => $.webhooks.log.title)}
        </Title>
        <LogFilters
          search={search}
          hasTypes={data.event_type === 'all_events'}
          onChange={(next) => void navigate({ search: next, replace: true })}
        />
        <DeliveryLog
          webhookId={id}
          isActive={data.status === 'active'}
          search={search}
          onOpen={open}
          onReset={() => void navigate({ search: {} })}
          onRead={onLogRead}
        />
      </section>
      <Suspense>
        {search.attempt && (
          <AttemptPanel
            key={search.attempt}
            id={search.attempt}
            webhook={data}
            onClose={() => show({ attempt: undefined })}
          />
        )}
        {search.panel && (
          <WebhookPanels
            webhook={data}
            panel={search.panel}
            missedSince={search.since}
            onClose={() => show({ panel: undefined, since: undefined })}
          />
        )}
      </Suspense>
    </div>
  )
}
