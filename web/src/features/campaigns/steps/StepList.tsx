import { ActionIcon, Menu, Text, UnstyledButton } from '@mantine/core'
import { ArrowDown, ArrowUp, Ellipsis, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useDraft } from '../useDraft.ts'
import type { Step } from './edit-steps.ts'
import classes from './StepsTab.module.css'

interface StepListProps {
  steps: Step[]
  shown: number
  onShow: (number: number) => void
  onMove: (from: number, to: number) => void
  onRemove: (index: number) => void
}

export function StepList({ steps, shown, onShow, onMove, onRemove }: StepListProps) {
  const { t } = useTranslation()
  const { mayChange, keyOf } = useDraft()
  return (
    <ol className={classes.list}>
      {steps.map((step, index) => {
        const number = index + 1
        const shownSubject =
          step.variants[0]?.subject.trim() ||
          t(($) => $.campaigns.steps[index === 0 ? 'noSubject' : 'sameThread'])
        return (
          <li key={keyOf(step.id)}>
            <p className={classes.wait}>{waitText(t, step, index)}</p>
            <div className={classes.step} data-shown={index === shown || undefined}>
              <UnstyledButton
                className={classes.open}
                aria-current={index === shown ? 'step' : undefined}
                onClick={() => onShow(number)}
              >
                <Text size="xs" c="dimmed">
                  {t(($) => $.campaigns.steps.number, { number })}
                  {step.variants.length > 1 &&
                    ` · ${t(($) => $.campaigns.steps.variants, { count: step.variants.length })}`}
                </Text>
                <Text size="sm" truncate title={shownSubject}>
                  {shownSubject}
                </Text>
              </UnstyledButton>
              {mayChange && (
                <Menu position="bottom-end">
                  <Menu.Target>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      mr="xs"
                      aria-label={t(($) => $.campaigns.steps.actionsFor, { number })}
                    >
                      <Ellipsis size="1rem" aria-hidden />
                    </ActionIcon>
                  </Menu.Target>
                  <Menu.Dropdown>
                    <Menu.Item
                      disabled={index === 0}
                      leftSection={<ArrowUp size="1rem" aria-hidden />}
                      onClick={() => onMove(index, index - 1)}
                    >
                      {t(($) => $.campaigns.steps.earlier)}
                    </Menu.Item>
                    <Menu.Item
                      disabled={number === steps.length}
                      leftSection={<ArrowDown size="1rem" aria-hidden />}
                      onClick={() => onMove(index, index + 1)}
                    >
                      {t(($) => $.campaigns.steps.later)}
                    </Menu.Item>
                    <Menu.Item
                      color="red"
                      leftSection={<Trash2 size="1rem" aria-hidden />}
                      onClick={() => onRemove(index)}
                    >
                      {t(($) => $.campaigns.steps.remove)}
                    </Menu.Item>
                  </Menu.Dropdown>
                </Menu>
              )}
            </div>
          </li>
        )
      })}
    </ol>
  )
}

type Translate = ReturnType<typeof useTranslation>['t']

function waitText(t: Translate, { delay, delay_unit }: Step, index: number) {
  if (delay === 0) {
    return index === 0 ? t(($) => $.campaigns.steps.first) : t(($) => $.campaigns.steps.atOnce)
  }
  const wait = t(($) => $.campaigns.steps.waits[delay_unit], { count: delay })
  return index === 0
    ? t(($) => $.campaigns.steps.afterAdding, { wait })
    : t(($) => $.campaigns.steps.wait, { wait })
}
