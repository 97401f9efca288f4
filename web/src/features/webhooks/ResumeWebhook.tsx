import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import { countMissedEventsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { replayWebhook, updateWebhook } from '../../api/generated/sdk.gen.ts'
import type { MissedEvents, Webhook } from '../../api/generated/types.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { readWebhookAgain } from './read-webhook-again.ts'
import { replayMax } from './replay-max.ts'

interface ResumeWebhookProps {
  webhook: Webhook
  onClose: () => void
  /** It goes on, and has missed more than one replay delivers, from this moment on. */
  onTooMany: (from: string) => void
}

/** Events of the moment in which it goes on may be meant for nobody: twice is better than never. */
const overlapMs = 5_000

/** Goes on, and offers what was missed: events are kept whether or not anybody took them. */
export function ResumeWebhook({ webhook, onClose, onTooMany }: ResumeWebhookProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const path = { id: webhook.id }
  const [since] = useState(webhook.timestamp_disabled)
  const [resumed, setResumed] = useState<{ at: string; shown: MissedEvents | undefined }>()
  const missed = useQuery({
    ...countMissedEventsOptions({ path }),
    // What goes on misses no more than that.
    enabled: resumed === undefined,
    staleTime: 0,
  })
  // Counted anew each time it is asked: what was counted before says nothing of what came since.
  const isCounted = missed.isSuccess && missed.isFetchedAfterMount
  // Once it goes on, the notice of its page asks for the oldest that it has missed, which may be another,
  // and of one that has missed nothing there is neither beginning nor end.
  const isOfNow = isCounted && missed.data.from !== null && missed.data.to === null
  const shown = resumed ? resumed.shown : isOfNow ? missed.data : undefined
  const { deliveries: count = 0, is_estimate = false, from, ended_from } = shown ?? {}
  const isNothing = count === 0 && !is_estimate
  const isTooMany = count > replayMax
  const resume = useMutation<number, Fault, { withMissed: boolean }>({
    async mutationFn({ withMissed }) {
      let goesOnAt = resumed?.at
      if (goesOnAt === undefined) {
        const body = { status: 'active' } as const
        const { data } = await updateWebhook({ path, body })
        goesOnAt = data.timestamp_updated
        setResumed({ at: goesOnAt, shown })
      }
      if (!withMissed || !from || !ended_from) return 0
      const headers = idempotencyKey.headers()
      // What came later is sent by itself, however late the replay is asked for.
      const to = new Date(Date.parse(goesOnAt) + overlapMs).toISOString()
      const body = { from, to, ended_from }
      const { data } = await replayWebhook({ path, headers, body })
      return data.deliveries
    },
    onError: () => readWebhookAgain(cache),
    async onSuccess(count) {
      await readWebhookAgain(cache)
      notifications.show({
        message:
          count === 0
            ? t(($) => $.webhooks.resume.done)
            : t(($) => $.webhooks.resume.doneWith, { count }),
      })
    },
  })
  const isResumedElsewhere = isCounted && !isOfNow && !resumed && !resume.isPending
  useEffect(() => {
    if (!isResumedElsewhere) return
    // It may be one's own whose answer got lost, of which the dialog would have told.
    if (resume.error) notifications.show({ color: 'red', message: resume.error.message })
    onClose()
  }, [isResumedElsewhere, resume.error, onClose])
  return (
    <Modal opened onClose={onClose} title={t(($) => $.webhooks.resume.title)}>
      <Stack>
        <Text>
          {t(($) => $.webhooks.resume.since)} {since && <RelativeTime at={since} />}.{' '}
          {!shown && !missed.isError && t(($) => $.webhooks.resume.counting)}
          {shown &&
            (isTooMany
              ? t(($) => $.webhooks.resume.tooMany)
              : isNothing
                ? t(($) => $.webhooks.resume.nothing)
                : t(($) => $.webhooks.resume[is_estimate ? 'missedAtLeast' : 'missed'], { count }))}
        </Text>
        {missed.isError && <FaultNotice fault={missed.error} />}
        {resume.isError && <FaultNotice fault={resume.error} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            disabled={!shown && !missed.isError}
            loading={resume.isPending && !resume.variables.withMissed}
            onClick={() => resume.mutate({ withMissed: false }, { onSuccess: onClose })}
          >
            {t(($) => (shown && isNothing ? $.webhooks.resume.submit : $.webhooks.resume.without))}
          </Button>
          {shown && !isNothing && (
            <Button
              data-autofocus
              loading={resume.isPending && resume.variables.withMissed}
              onClick={() =>
                isTooMany
                  ? resume.mutate(
                      { withMissed: false },
                      { onSuccess: () => ended_from && onTooMany(ended_from) },
                    )
                  : resume.mutate({ withMissed: true }, { onSuccess: onClose })
              }
            >
              {isTooMany
                ? t(($) => $.webhooks.resume.thenWindow)
                : t(($) => $.webhooks.resume[is_estimate ? 'withAll' : 'with'], { count })}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
