import { Button, Group, Modal, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import classes from './ChooseVersion.module.css'
import type { Conflict } from './merge.ts'
import type { WeeklySchedule } from './schedule/weekly-schedules.ts'
import type { Step } from './steps/edit-steps.ts'
import { useDraft } from './useDraft.ts'

/** Both versions of what two people changed at once, side by side; the rest is put together already. */
export function ChooseVersion() {
  const { t } = useTranslation()
  const { conflicts, saving, resolve } = useDraft()
  return (
    <Modal
      opened={saving === 'conflict'}
      onClose={() => undefined}
      withCloseButton={false}
      size="xl"
      title={t(($) => $.campaigns.conflict.title)}
    >
      <Choices
        key={conflicts.map(({ path }) => path).join()}
        conflicts={conflicts}
        onDone={resolve}
      />
    </Modal>
  )
}

interface ChoicesProps {
  conflicts: Conflict[]
  onDone: (keepsMine: boolean[]) => void
}

function Choices({ conflicts, onDone }: ChoicesProps) {
  const { t } = useTranslation()
  const shown = useShown()
  const [keepsMine, setKeepsMine] = useState<(boolean | undefined)[]>(() =>
    conflicts.map(() => undefined),
  )
  const chosen = keepsMine.filter((each) => each !== undefined)
  return (
    <Stack>
      {/* It opens while somebody types: the next key must neither choose nor save. */}
      <Text data-autofocus tabIndex={-1} className={classes.body}>
        {t(($) => $.campaigns.conflict.body)}
      </Text>
      {conflicts.map(({ path, mine, theirs }, index) => (
        <section key={path} aria-label={labelOfPath(path)}>
          <Group justify="space-between" mb={4}>
            <Text fw={500}>{labelOfPath(path)}</Text>
            <SegmentedControl
              transitionDuration={0}
              size="xs"
              aria-label={labelOfPath(path)}
              value={choiceOf(keepsMine[index])}
              onChange={(value) =>
                setKeepsMine(keepsMine.map((each, at) => (at === index ? value === 'mine' : each)))
              }
              data={[
                { value: 'mine', label: t(($) => $.campaigns.conflict.keepMine) },
                { value: 'theirs', label: t(($) => $.campaigns.conflict.keepTheirs) },
              ]}
            />
          </Group>
          <div className={classes.both}>
            <div>
              <Text size="xs" c="dimmed">
                {t(($) => $.campaigns.conflict.mine)}
              </Text>
              <pre>{shown(path, mine)}</pre>
            </div>
            <div>
              <Text size="xs" c="dimmed">
                {t(($) => $.campaigns.conflict.theirs)}
              </Text>
              <pre>{shown(path, theirs)}</pre>
            </div>
          </div>
        </section>
      ))}
      <Group justify="flex-end">
        <Button disabled={chosen.length < conflicts.length} onClick={() => onDone(chosen)}>
          {t(($) => $.campaigns.conflict.save)}
        </Button>
      </Group>
    </Stack>
  )
}

const choiceOf = (keepsMine: boolean | undefined) =>
  keepsMine === undefined ? '' : keepsMine ? 'mine' : 'theirs'

/** `/sequences/0/steps/1/variants/0/body` is "step 2, variant 1, body". */
const labelOfPath = (path: string) =>
  path
    .replace('/sequences/0', '')
    .replaceAll(
      /\/(step|variant|schedule)s\/(\d+)/g,
      (_, name, at) => `, ${name} ${Number(at) + 1}`,
    )
    .replaceAll('/', ', ')
    .replaceAll('_', ' ')
    .replace(/^, /, '') || 'steps'

function useShown() {
  const { t } = useTranslation()
  return (path: string, value: unknown): string => {
    if (path.endsWith('/wait')) {
      const { delay, delay_unit } = value as Step
      return `${delay} ${t(($) => $.campaigns.steps.units[delay_unit])}`
    }
    if (path.endsWith('/hours')) {
      const { timing, timezone } = value as WeeklySchedule
      return `${timing.from} - ${timing.to}, ${timezone}`
    }
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  }
}
