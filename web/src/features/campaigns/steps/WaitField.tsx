import { Group, NativeSelect, NumberInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useCommitOnBlur } from '../useCommitOnBlur.ts'
import { useDraft } from '../useDraft.ts'
import { type Step, stepsOf } from './edit-steps.ts'

export type Wait = Pick<Step, 'delay' | 'delay_unit'>

interface WaitFieldProps {
  step: Step
  /** From 1. */
  number: number
  onChange: (wait: Wait) => void
}

const units = ['minutes', 'hours', 'days'] as const

/** How long after the mail before: the number means nothing without its unit, nor the unit without it. */
export function WaitField({ step, number, onChange }: WaitFieldProps) {
  const { t } = useTranslation()
  const { mayChange, problemAt, keyOf } = useDraft()
  const { value, type, commitHandlers } = useCommitOnBlur<
    Omit<Wait, 'delay'> & { delay: number | '' }
  >({
    read(campaign) {
      const found = stepsOf(campaign).find(({ id }) => keyOf(id) === keyOf(step.id))
      return found && { delay: found.delay, delay_unit: found.delay_unit }
    },
    // Without a number it stays what it was.
    write: ({ delay, delay_unit }) => delay !== '' && onChange({ delay, delay_unit }),
  })
  const { delay, delay_unit } = value ?? step
  return (
    <Group align="flex-end" gap="xs" {...commitHandlers}>
      <NumberInput
        label={
          number === 1
            ? t(($) => $.campaigns.steps.waitFirst)
            : t(($) => $.campaigns.steps.waitLabel)
        }
        w="12rem"
        min={0}
        max={525_600}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="strict"
        readOnly={!mayChange}
        value={delay}
        error={problemAt(`/sequences/0/steps/${number - 1}/delay`)}
        onChange={(next) => {
          // "03", as when somebody types behind a 0, comes as text.
          type({ delay: next === '' ? '' : Number(next), delay_unit })
        }}
      />
      <NativeSelect
        aria-label={t(($) => $.campaigns.steps.unit)}
        value={delay_unit}
        disabled={!mayChange}
        data={units.map((each) => ({
          value: each,
          label: t(($) => $.campaigns.steps.units[each]),
        }))}
        onChange={(event) =>
          type({ delay, delay_unit: event.currentTarget.value as Step['delay_unit'] })
        }
      />
    </Group>
  )
}
