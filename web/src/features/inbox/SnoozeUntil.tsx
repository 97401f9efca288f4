import { Button, Group, Modal, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { nowMs } from '../../lib/clock.ts'
import { clockField, exactTime, zoneName } from '../../lib/time.ts'
import { snoozeTime } from './snooze-times.ts'

interface SnoozeUntilProps {
  onSnooze: (until: string) => void
  onClose: () => void
}

const dayMs = 86_400_000

/** Any time within the next year, of the reader's own clock. */
export function SnoozeUntil({ onSnooze, onClose }: SnoozeUntilProps) {
  const { t } = useTranslation()
  const [now] = useState(() => new Date(nowMs()))
  const [at, setAt] = useState(() => clockField(Date.parse(snoozeTime('tomorrow', now))))
  // Without a zone a time is the reader's own.
  const timeMs = Date.parse(at)
  const isInTime = timeMs > nowMs() && timeMs < now.getTime() + 365 * dayMs
  const until = isInTime ? new Date(timeMs).toISOString() : undefined
  return (
    <Modal opened onClose={onClose} title={t(($) => $.inbox.snooze.until)}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (until) onSnooze(until)
        }}
      >
        <Stack>
          <TextInput
            type="datetime-local"
            data-autofocus
            label={t(($) => $.inbox.snooze.time)}
            description={t(($) => $.common.inYourZone, { zone: zoneName() })}
            error={!isInTime && t(($) => $.inbox.snooze.outOfReach)}
            min={clockField(now.getTime())}
            max={clockField(now.getTime() + 365 * dayMs)}
            value={at}
            onChange={(event) => setAt(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t(($) => $.common.cancel)}
            </Button>
            <Button type="submit" disabled={!until} title={until && exactTime(until)}>
              {t(($) => $.inbox.snooze.title)}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
