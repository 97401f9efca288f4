import { Button, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { Campaign } from '../../../api/generated/types.gen.ts'
import { EmptyState } from '../../../ui/EmptyState.tsx'
import { campaignSearchOf } from '../search.ts'
import { useDraft } from '../useDraft.ts'
import {
  letterOf,
  moved,
  newStep,
  type Step,
  stepBack,
  stepsOf,
  type Variant,
  variantBack,
  withSteps,
} from './edit-steps.ts'
import { StepEditor } from './StepEditor.tsx'
import { StepList } from './StepList.tsx'
import classes from './StepsTab.module.css'

const route = getRouteApi('/signed-in/w/$handle/campaigns/$id')

/** What is open of which campaign, also for an offer to undo that was made before the tab was left. */
let looksAt: { campaignId: string; step: string; variant: number } | undefined

/** The mails in their order on the left, the chosen one on the right. */
export function StepsTab() {
  const { t } = useTranslation()
  const { campaign, now, set, offerUndo, mayChange, problemAt, keyOf } = useDraft()
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
  useEffect(() => {
    looksAt = { campaignId: campaign.id, step: step ? keyOf(step.id) : '', variant }
    return () => {
      looksAt = undefined
    }
  }, [campaign.id, step, variant, keyOf])
  const save = (changed: Step[]) => set(withSteps(changed))
  const isSame = (one: { id: string }, other: { id: string }) => keyOf(one.id) === keyOf(other.id)
  /** Once: it may have come back by another way. */
  const putBack = <T extends { id: string }>(list: T[], index: number, removed: T, back: T) =>
    list.some((each) => isSame(each, removed)) ? list : list.toSpliced(index, 0, back)
  /** The step that is undone is looked at then. Nobody is brought back to it from somewhere else. */
  const showBack = (then: Step[], back: Step) => {
    const index = then.findIndex((each) => isSame(each, back))
    if (looksAt?.campaignId === campaign.id && index >= 0) {
      show(index + 1, looksAt.step === keyOf(back.id) ? looksAt.variant : 1)
    }
    return withSteps(then)
  }
  const add = () => {
    save([...steps, newStep(steps.length)])
    show(steps.length + 1)
  }
  const remove = (index: number) => {
    const removed = steps[index]
    if (!removed) return
    offerUndo(
      t(($) => $.campaigns.steps.removed, { number: index + 1 }),
      (mine, saved) => {
        const back = stepBack(removed, saved)
        return showBack(putBack(stepsOf(mine), index, removed, back), back)
      },
    )
    save(steps.toSpliced(index, 1))
    show(Math.max(1, index))
  }
  const move = (from: number, to: number) => {
    const mover = steps[from]
    if (!mover) return
    offerUndo(
      t(($) => $.campaigns.steps.moved, { number: from + 1, to: to + 1 }),
      (mine) => {
        const then = stepsOf(mine)
        const at = then.findIndex((each) => isSame(each, mover))
        return at < 0 ? {} : showBack(moved(then, at, from), mover)
      },
    )
    save(moved(steps, from, to))
    show(to + 1)
  }
  /** Wherever it stands by then. */
  const changedOf = (then: Campaign, later: Step, to: (step: Step) => Step) =>
    withSteps(stepsOf(then).map((each) => (isSame(each, later) ? to(each) : each)))
  const removeVariant = (from: Step, index: number) => {
    const removed = from.variants[index]
    if (!removed) return
    const change = (then: Campaign, to: (variants: Variant[]) => Variant[]) =>
      changedOf(then, from, (each) => ({ ...each, variants: to(each.variants) }))
    offerUndo(
      t(($) => $.campaigns.steps.removedVariant, { letter: letterOf(index + 1) }),
      (mine, saved) =>
        change(mine, (variants) => putBack(variants, index, removed, variantBack(removed, saved))),
    )
    set(change(now(), (variants) => variants.toSpliced(index, 1)))
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
        onWait={(wait) => set(changedOf(now(), step, (each) => ({ ...each, ...wait })))}
        onChange={(changed) => save(steps.map((each, index) => (index === at ? changed : each)))}
      />
    </div>
  )
}
