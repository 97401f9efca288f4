import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  forecastCampaignOptions,
  getCampaignQueryKey,
  listCampaignSummariesInfiniteQueryKey,
  listLeadVariablesOptions,
  readCampaignReadinessOptions,
  updateCampaignMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Campaign } from '../../api/generated/types.gen.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { Forecast } from './Forecast.tsx'
import classes from './Launch.module.css'
import { LostImages } from './LostImages.tsx'
import { lostImages } from './lost-images.ts'
import { MissingVariables } from './MissingVariables.tsx'
import { knowsAll, mayLackMore, missingVariables, reachedAtMost } from './missing-variables.ts'
import { ReadinessProblems } from './ReadinessProblems.tsx'
import { sentencesOf } from './save-accepted.ts'
import { useDraft } from './useDraft.ts'

/** What stands in the way, who gets mail and when; then the button, for the version that is shown. */
export function Launch({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { campaign, saving, fault: refusal } = useDraft()
  const { id, status, lead_counts, timestamp_updated } = campaign
  const path = { id }
  // Live updates show what somebody else has changed since, beside the forecast of this one.
  const [seen, setSeen] = useState<string>()
  if (seen === undefined && saving === 'saved') setSeen(timestamp_updated)
  const readiness = useQuery({ ...readCampaignReadinessOptions({ path }), staleTime: 0 })
  const forecast = useQuery({ ...forecastCampaignOptions({ path }), staleTime: 0 })
  const variables = useQuery({ ...listLeadVariablesOptions({ path }), staleTime: 0 })
  const start = useMutation({
    ...updateCampaignMutation(),
    // A live update may tell the new one first.
    onMutate: () => status,
    onSuccess(started, _sent, before) {
      void cache.invalidateQueries({ queryKey: getCampaignQueryKey({ path }) })
      void cache.invalidateQueries({ queryKey: listCampaignSummariesInfiniteQueryKey() })
      notifications.show({
        message:
          started.status === 'completed'
            ? t(($) => $.campaigns.launch.completed)
            : t(($) => $.campaigns.launch[before === 'draft' ? 'started' : 'resumed']),
      })
    },
    async onError({ code }) {
      const queryKey = getCampaignQueryKey({ path })
      const reading = cache.invalidateQueries({ queryKey })
      await Promise.all([reading, readiness.refetch(), forecast.refetch()])
      if (code === 'version_conflict')
        setSeen(cache.getQueryData<Campaign>(queryKey)?.timestamp_updated)
    },
  })
  if (readiness.isPending || forecast.isPending || variables.isPending)
    return <LoadingRows rows={6} />
  const fault = readiness.error ?? forecast.error
  if (!(readiness.data && forecast.data)) {
    const retry = () => void Promise.all([readiness.refetch(), forecast.refetch()])
    return fault && <FaultNotice fault={fault} onRetry={retry} />
  }
  const { active, total } = lead_counts
  const isRefused = status === 'completed' && active === 0
  const known = variables.data
  const missing = known ? missingVariables(campaign, known) : []
  const isUnsure = known !== undefined && mayLackMore(campaign, known)
  const isAtMost = missing.length > 0 || isUnsure
  // Who was sent the first mail had all of it.
  const isTold = known !== undefined && knowsAll(known, campaign) && status === 'draft'
  const reached = isTold && missing.length > 0 ? reachedAtMost(campaign, known) : undefined
  const recipients = Math.min(forecast.data.recipients, reached ?? forecast.data.recipients)
  const recipientsText =
    recipients < forecast.data.recipients
      ? 'recipientsLess'
      : isAtMost
        ? 'recipientsAtMost'
        : 'recipientsOf'
  const lost = lostImages(campaign)
  const isNobody = active > 0 && reached === 0
  return (
    <Stack>
      {start.error?.code === 'version_conflict' ? (
        <Alert color="yellow" role="alert">
          {t(($) => $.campaigns.launch.changed)}
        </Alert>
      ) : (
        start.error && <FaultNotice fault={start.error} />
      )}
      {!(readiness.data.ready && (isNobody || lost.length > 0)) && (
        <ReadinessProblems problems={readiness.data.problems} />
      )}
      <LostImages lost={lost} />
      <QueryFault query={variables} />
      {known && <MissingVariables missing={missing} known={known} mayLackMore={isUnsure} />}
      <section>
        <Title order={2}>{t(($) => $.campaigns.launch.recipients)}</Title>
        <Text>
          {isRefused
            ? t(($) => $.campaigns.launch.addFirst)
            : total === 0
              ? t(($) => $.campaigns.launch.nobody)
              : active === 0
                ? t(($) => $.campaigns.launch.allDone)
                : isNobody
                  ? t(($) => $.campaigns.launch.allLack)
                  : t(($) => $.campaigns.launch[recipientsText], {
                      count: recipients,
                      total: forecast.data.recipients,
                    })}
        </Text>
      </section>
      {!isNobody && <Forecast forecast={forecast.data} isAtMost={isAtMost} />}
      <footer className={classes.buttons}>
        {saving !== 'saved' && (
          <Text role="status" size="sm" ta="right" c="var(--amber-text)">
            {t(($) => $.campaigns.launch.waits[saving], {
              message: refusal ? sentencesOf(refusal).join('; ') : '',
            })}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" disabled={start.isPending} onClick={onDone}>
            {t(($) => $.common.cancel)}
          </Button>
          <Button
            disabled={!readiness.data.ready || saving !== 'saved' || isRefused}
            loading={start.isPending || forecast.isFetching}
            onClick={() =>
              start.mutate(
                {
                  ...{ path, body: { status: 'active' } },
                  headers: { 'If-Match': `"${seen}"` },
                },
                {
                  onSuccess(started) {
                    onDone()
                    // Once it is known to run, the panel is gone, and could not be left any more.
                    cache.setQueryData(getCampaignQueryKey({ path }), started)
                  },
                },
              )
            }
          >
            {status === 'draft'
              ? t(($) => $.campaigns.launch.confirm)
              : t(($) => $.campaigns.launch.confirmResume)}
          </Button>
        </Group>
      </footer>
    </Stack>
  )
}
