import { Button, Group, Stack, Switch, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Plus, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { listLeadVariablesOptions } from '../../../api/generated/@tanstack/react-query.gen.ts'
import { knowsAll, unknownIn } from '../missing-variables.ts'
import { useDraft } from '../useDraft.ts'
import { BodyEditor } from './BodyEditor.tsx'
import { letterOf, newVariant, type Step, type Variant } from './edit-steps.ts'
import classes from './StepsTab.module.css'
import { SubjectField } from './SubjectField.tsx'
import { useHeldText } from './useHeldText.ts'
import { type Wait, WaitField } from './WaitField.tsx'

interface StepEditorProps {
  step: Step
  /** Both from 1. */
  number: number
  variantNumber: number
  onShowVariant: (number: number) => void
  onRemoveVariant: () => void
  onWait: (wait: Wait) => void
  onChange: (step: Step) => void
}

/** The wait before a mail, and its variants: of those that are on each lead gets one. */
export function StepEditor(props: StepEditorProps) {
  const { step, number, variantNumber, onShowVariant, onRemoveVariant, onWait, onChange } = props
  const { t } = useTranslation()
  const { campaign, mayChange, problemAt, keyOf } = useDraft()
  const known = useQuery(listLeadVariablesOptions({ path: { id: campaign.id } })).data
  const { isHeld, onWrite, focusHandlers } = useHeldText()
  const at = variantNumber - 1
  const variant = step.variants[at]
  if (!variant) return null
  const unknown = known && knowsAll(known, campaign) ? unknownIn(variant, known) : []
  const path = `/sequences/0/steps/${number - 1}`
  const problem = (name: string) => problemAt(`${path}/variants/${at}/${name}`)
  const setVariants = (variants: Variant[]) => onChange({ ...step, variants })
  const change = (changes: Partial<Variant>) =>
    setVariants(step.variants.map((each, index) => (index === at ? { ...each, ...changes } : each)))
  const write = (changes: Partial<Variant>) => {
    onWrite()
    change(changes)
  }
  return (
    <Stack gap="sm">
      <WaitField step={step} number={number} onChange={onWait} />
      <fieldset className={classes.variants} aria-label={t(($) => $.campaigns.steps.variantsOf)}>
        {step.variants.map(({ id, v_disabled }, index) => (
          <Button
            key={keyOf(id)}
            size="xs"
            variant={index === at ? 'light' : 'subtle'}
            color={v_disabled ? 'gray' : undefined}
            aria-pressed={index === at}
            onClick={() => onShowVariant(index + 1)}
          >
            {t(($) => $.campaigns.steps.variant, { letter: letterOf(index + 1) })}
            {v_disabled && ` (${t(($) => $.campaigns.steps.off)})`}
          </Button>
        ))}
        {mayChange && (
          <Button
            size="xs"
            variant="subtle"
            leftSection={<Plus size="0.875rem" aria-hidden />}
            disabled={step.variants.length >= 26}
            onClick={() => {
              setVariants([...step.variants, newVariant(variant)])
              onShowVariant(step.variants.length + 1)
            }}
          >
            {t(($) => $.campaigns.steps.addVariant)}
          </Button>
        )}
        <Group ml="auto" gap="sm">
          <Switch
            label={t(($) => $.campaigns.steps.on)}
            checked={!variant.v_disabled}
            disabled={!mayChange}
            error={problemAt(`${path}/variants`)}
            onChange={(event) => change({ v_disabled: !event.currentTarget.checked })}
          />
          {mayChange && step.variants.length > 1 && (
            <Button
              size="xs"
              variant="subtle"
              color="red"
              leftSection={<Trash2 size="0.875rem" aria-hidden />}
              onClick={({ currentTarget }) => {
                // This button may go with the variant; whoever has no mouse stays beside it.
                const shown = currentTarget.closest('fieldset')?.querySelectorAll('[aria-pressed]')
                const beside = shown?.[at === 0 ? 1 : at - 1]
                if (beside instanceof HTMLElement) beside.focus()
                onRemoveVariant()
              }}
            >
              {t(($) => $.campaigns.steps.removeVariant)}
            </Button>
          )}
        </Group>
      </fieldset>
      <Stack gap="sm" {...focusHandlers}>
        <SubjectField
          value={variant.subject}
          hint={number > 1 ? t(($) => $.campaigns.steps.subjectHint) : undefined}
          problem={problem('subject')}
          unknown={unknown}
          onChange={(subject) => write({ subject })}
        />
        <BodyEditor
          key={keyOf(variant.id)}
          value={variant.body}
          problem={problem('body')}
          unknown={unknown}
          onChange={(body) => write({ body })}
        />
      </Stack>
      {unknown.length > 0 && (
        <Text size="sm" c="var(--amber-text)" role="status">
          {t(($) => $.campaigns.steps.unknown, {
            names: unknown.map((name) => `“${name}”`).join(', '),
            example: `{{${unknown[0]} | default: "…"}}`,
          })}
        </Text>
      )}
      {isHeld && mayChange && (
        <Text size="xs" c="dimmed">
          {t(($) => $.campaigns.steps.held)}
        </Text>
      )}
    </Stack>
  )
}
