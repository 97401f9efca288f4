import { nextStep, type SequenceProgress } from '../../campaigns/index.ts'
import type { PlannedStep } from '../planning/planned.ts'

/** A step that is to be sent, and what follows it. */
export interface StepPath {
  rank: number
  step: PlannedStep
  /** The step has a variant to send. */
  isSendable: boolean
  rest: StepPath | null
  /** How many mails until the end, or until a step that cannot be sent. */
  mails: number
}

/** The ways through a sequence that its leads are on; most of them are on the same few. */
export class StepPaths {
  readonly all: StepPath[] = []
  readonly #steps: PlannedStep[]

  constructor(steps: PlannedStep[]) {
    this.#steps = steps
  }

  /** What is left for a lead; null: nothing. */
  from(progress: SequenceProgress): StepPath | null {
    const left: PlannedStep[] = []
    let { sent_step_ids, current_step } = progress
    for (;;) {
      const step = nextStep(this.#steps, { sent_step_ids, current_step })
      if (!step) break
      left.push(step)
      sent_step_ids = [...sent_step_ids, step.id]
      current_step = step.number
    }
    return left.reduceRight<StepPath | null>((rest, step) => this.#path(step, rest), null)
  }

  #path(step: PlannedStep, rest: StepPath | null): StepPath {
    const known = this.all.find((path) => path.step === step && path.rest === rest)
    if (known) return known
    const isSendable = step.variants.some(({ v_disabled }) => !v_disabled)
    const mails = isSendable ? 1 + (rest?.mails ?? 0) : 0
    const path = { rank: this.all.length, step, isSendable, rest, mails }
    this.all.push(path)
    return path
  }
}
