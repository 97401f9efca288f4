import type { Campaign } from '../../../api/generated/types.gen.ts'

export type Step = Campaign['sequences'][number]['steps'][number]
export type Variant = Step['variants'][number]

export const stepsOf = ({ sequences }: Pick<Campaign, 'sequences'>): Step[] =>
  sequences.flatMap(({ steps }) => steps)

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

/** With an id to be given: the server takes none back that it has let go. */
export const asNewVariant = (variant: Variant): Variant => ({ ...variant, id: newId() })

export const asNew = (step: Step): Step => ({
  ...step,
  id: newId(),
  variants: step.variants.map(asNewVariant),
})

export function moved<T>(list: T[], from: number, to: number): T[] {
  const rest = list.filter((_, index) => index !== from)
  return rest.toSpliced(to, 0, list[from] as T)
}
