import type { Campaign } from '../../../api/generated/types.gen.ts'

export type Step = Campaign['sequences'][number]['steps'][number]
export type Variant = Step['variants'][number]

export const stepsOf = ({ sequences }: Pick<Campaign, 'sequences'>): Step[] =>
  sequences.flatMap(({ steps }) => steps)

/** A campaign without a step has no sequence either. */
export const withSteps = (steps: Step[]): Pick<Campaign, 'sequences'> => ({
  sequences: steps.length > 0 ? [{ steps }] : [],
})

let made = 0
/** Until the server gives one. */
const newId = () => `new-${Date.now()}-${made++}`

export const newVariant = (like?: Variant): Variant => ({
  id: newId(),
  subject: like?.subject ?? '',
  body: like?.body ?? '',
  v_disabled: false,
})

/** The first goes out at once; the others three days after the one before, in its thread. */
export const newStep = (before: number): Step => ({
  id: newId(),
  type: 'email',
  delay: before === 0 ? 0 : 3,
  delay_unit: 'days',
  variants: [newVariant()],
})

/** What was removed, as it comes back: with an id to be given, where the server has let go of its own. */
export function variantBack(variant: Variant, saved: Pick<Campaign, 'sequences'>): Variant {
  const isThere = stepsOf(saved).some(({ variants }) =>
    variants.some(({ id }) => id === variant.id),
  )
  return isThere ? variant : { ...variant, id: newId() }
}

export function stepBack(step: Step, saved: Pick<Campaign, 'sequences'>): Step {
  const isThere = stepsOf(saved).some(({ id }) => id === step.id)
  const variants = step.variants.map((variant) => variantBack(variant, saved))
  return { ...step, id: isThere ? step.id : newId(), variants }
}

export function moved<T>(list: T[], from: number, to: number): T[] {
  const rest = list.filter((_, index) => index !== from)
  return rest.toSpliced(to, 0, list[from] as T)
}

/** As people call variants: 1 is A. */
export const letterOf = (variant: number) => String.fromCharCode(64 + variant)
