import { Button, Group, Modal, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { countWebhookReplayOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Webhook } from '../../api/generated/types.gen.ts'
import { nowMs } from '../../lib/clock.ts'
import { clockField, lastDay, zoneName } from '../../lib/time.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import { replayMax } from './replay-max.ts'
import { useReplay } from './useReplay.ts'

interface ReplayWindowProps {
  webhook: Webhook
  /** What it begins with; a day ago when left out. */
  since?: string | undefined
  opened: boolean
  onClose: () => void
}

const minuteMs = 60_000
const hourMs = 3_600_000

/** The events of a window once more, after saying how many they are. */
export function ReplayWindow({ webhook, since, opened, onClose }: ReplayWindowProps) {
  const { t } = useTranslation()
  // Until somebody types them, the instants themselves: an hour of the night in which clocks go back is
  // there twice, and a text means the first. The fields show no seconds.
  const [startMs] = useState(() => {
    // An event is a little older than the failure of its delivery.
    const ms = since ? Date.parse(since) - minuteMs : nowMs() - 24 * hourMs
    return Math.floor(ms / minuteMs) * minuteMs
  })
  const [endMs] = useState(() => nowMs() + minuteMs)
  const [from, setFrom] = useState<string>()
  const [to, setTo] = useState<string>()
  const path = { id: webhook.id }
  // Without a zone a time is the reader's own.
  const fromMs = from === undefined ? startMs : Date.parse(from)
  const isWindow = fromMs < (to === undefined ? endMs : Date.parse(to))
  const window = isWindow
    ? { from: new Date(fromMs).toISOString(), ...(to ? { to: new Date(to).toISOString() } : {}) }
    : undefined
  const found = useQuery({
    ...countWebhookReplayOptions({ path, query: window ?? {} }),
    enabled: opened && isWindow,
    staleTime: 0,
  })
  const { replay, idempotencyKey } = useReplay()
  const { deliveries: count = 0, is_estimate = false } = (isWindow && found.data) || {}
  const isTooMany = count > replayMax
  const isActive = webhook.status === 'active'
  return (
    <Modal opened={opened} onClose={onClose} title={t(($) => $.webhooks.replay.title)}>
      <Stack>
        <Text>{t(($) => $.webhooks.replay.body)}</Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            type="datetime-local"
            max={`${lastDay}T23:59`}
            label={t(($) => $.webhooks.replay.from)}
            value={from ?? clockField(startMs)}
            onChange={(event) => {
              idempotencyKey.renew()
              setFrom(event.currentTarget.value)
            }}
          />
          <TextInput
            type="datetime-local"
            max={`${lastDay}T23:59`}
            label={t(($) => $.webhooks.replay.to)}
            value={to ?? clockField(endMs)}
            onChange={(event) => {
              idempotencyKey.renew()
              setTo(event.currentTarget.value)
            }}
          />
        </SimpleGrid>
        <Text size="xs" c="dimmed">
          {t(($) => $.common.inYourZone, { zone: zoneName() })}
        </Text>
        <Text size="sm" role="status">
          {!isWindow && t(($) => $.webhooks.replay.noWindow)}
          {isWindow && found.isPending && t(($) => $.webhooks.replay.counting)}
          {isWindow &&
            found.isSuccess &&
            !isTooMany &&
            t(($) => $.webhooks.replay[is_estimate ? 'countAtLeast' : 'count'], { count })}
          {isTooMany && t(($) => $.webhooks.replay.tooMany)}
        </Text>
        {!isActive && <Text size="sm">{t(($) => $.webhooks.replay.paused)}</Text>}
        {found.isError && <FaultNotice fault={found.error} />}
        {replay.isError && <FaultNotice fault={replay.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t(($) => $.common.cancel)}
          </Button>
          <Button
            disabled={(count === 0 && !is_estimate) || isTooMany || !isActive}
            loading={replay.isPending}
            onClick={() =>
              window &&
              replay.mutate(
                { path, headers: idempotencyKey.headers(), body: window },
                { onSuccess: onClose },
              )
            }
          >
            {t(($) => $.webhooks.replay[is_estimate ? 'submitAll' : 'submit'], { count })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
