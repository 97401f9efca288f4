import { Radio, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { longest } from '../../lib/longest.ts'
import type { LabelForm } from './label-form.ts'

const effects = ['none', 'pause', 'stop'] as const
const sentiments = ['positive', 'neutral', 'negative'] as const

/** What it is called, what it says of a lead, and what it does to sending. */
export function LabelFields({ form }: { form: LabelForm }) {
  const { t } = useTranslation()
  return (
    <>
      <TextInput
        {...form.getInputProps('name')}
        label={t(($) => $.labels.columns.name)}
        description={t(($) => $.labels.form.nameHint)}
        maxLength={longest.name}
        data-autofocus
        withAsterisk
      />
      <Radio.Group {...form.getInputProps('effect')} label={t(($) => $.labels.form.effect)}>
        <Stack gap="xs" mt="xs">
          {effects.map((effect) => (
            <Radio
              key={effect}
              value={effect}
              label={t(($) => $.labels.effects[effect].name)}
              description={t(($) => $.labels.effects[effect].hint)}
            />
          ))}
        </Stack>
      </Radio.Group>
      <div>
        <Text component="div" size="sm" fw={500} mb={4}>
          {t(($) => $.labels.form.sentiment)}
        </Text>
        <SegmentedControl
          {...form.getInputProps('sentiment')}
          aria-label={t(($) => $.labels.form.sentiment)}
          data={sentiments.map((value) => ({ value, label: t(($) => $.labels.sentiments[value]) }))}
        />
      </div>
    </>
  )
}
