import { Button, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { letterOf } from '../mails/MailRow.tsx'
import { campaignSearchOf } from '../search.ts'
import { useDraft } from '../useDraft.ts'
import {
  moved,
  newStep,
  type Step,
  stepBack,
  stepsOf,
  type Variant,
  variantBack,
} from './edit-steps.ts'
import { StepEditor } from './StepEditor.tsx'
import { StepList } from './StepList.tsx'
import classes from './StepsTab.module.css'

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

/** The mails in their order on the left, the chosen one on the right. */
export function StepsTab() {
  const { t } = useTranslation()
  const { campaign, now, saved, set, offerUndo, mayChange, problemAt, keyOf } = useDraft()
  const { step: asked = 1, variant = 1 } = route.useSearch()
  const navigate = route.useNavigate()
  const steps = stepsOf(campaign)
  const at = Math.min(asked, steps.length) - 1
  const step = steps[at]
  const show = (number: number, variantNumber = 1) =>
    void navigate({
      search: campaignSearchOf({ tab: 'steps', step: number, variant: variantNumber }),
      replace: true,
    })
  const save = (changed: Step[]) =>
    set({ sequences: changed.length > 0 ? [{ steps: changed }] : [] })
  const add = () => {
    save([...steps, newStep(steps.length)])
    show(steps.length + 1)
  }
  const remove = (index: number) => {
    const removed = steps[index]
    if (!removed) return
    offerUndo(
      t(($) => $.campaigns.steps.removed, { number: index + 1 }),
      () => save(stepsOf(now()).toSpliced(index, 0, stepBack(removed, saved()))),
    )
    save(steps.toSpliced(index, 1))
    show(Math.max(1, index))
  }
  const move = (from: number, to: number) => {
    const mover = steps[from]
    if (!mover) return
    offerUndo(
      t(($) => $.campaigns.steps.moved, { number: from + 1, to: to + 1 }),
      () => {
        const then = stepsOf(now())
        const at = then.findIndex(({ id }) => keyOf(id) === keyOf(mover.id))
        if (at >= 0) save(moved(then, at, from))
      },
    )
    save(moved(steps, from, to))
    show(to + 1)
  }
  /** As it is by then, wherever it stands. */
  const changeLater = (later: Step, to: (step: Step) => Step) =>
    save(stepsOf(now()).map((each) => (keyOf(each.id) === keyOf(later.id) ? to(each) : each)))
  const removeVariant = (from: Step, index: number) => {
    const removed = from.variants[index]
    if (!removed) return
    const change = (to: (variants: Variant[]) => Variant[]) =>
      changeLater(from, (each) => ({ ...each, variants: to(each.variants) }))
    offerUndo(
      t(($) => $.campaigns.steps.removedVariant, { letter: letterOf(index + 1) }),
      () => change((variants) => variants.toSpliced(index, 0, variantBack(removed, saved()))),
    )
    change((variants) => variants.toSpliced(index, 1))
    show(at + 1, Math.max(1, index))
  }
  const addButton = mayChange && (
    <Button
      variant={steps.length === 0 ? 'filled' : 'default'}
      leftSection={<Plus size="1rem" aria-hidden />}
      onClick={add}
      disabled={steps.length >= 50}
    >
      {t(($) => $.campaigns.steps.add)}
    </Button>
  )
  if (!step) {
    return (
      <EmptyState
        title={t(($) => $.campaigns.steps.empty.title)}
        body={t(($) => $.campaigns.steps.empty.body)}
        action={addButton}
      />
    )
  }
  const problem = problemAt('/sequences')
  const variantNumber = Math.min(variant, step.variants.length)
  return (
    <div className={classes.columns}>
      <div>
        {problem && (
          <Text size="sm" c="var(--red-text)">
            {problem}
          </Text>
        )}
        <StepList steps={steps} shown={at} onShow={show} onMove={move} onRemove={remove} />
        {addButton}
      </div>
      <StepEditor
        key={keyOf(step.id)}
        step={step}
        number={at + 1}
        variantNumber={variantNumber}
        onShowVariant={(number) => show(at + 1, number)}
        onRemoveVariant={() => removeVariant(step, variantNumber - 1)}
        onWait={(wait) => changeLater(step, (each) => ({ ...each, ...wait }))}
        onChange={(changed) => save(steps.map((each, index) => (index === at ? changed : each)))}
      />
    </div>
  )
}
