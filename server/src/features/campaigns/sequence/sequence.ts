import type { Context } from '../../../kernel/context.ts'
import { type ErrorDetail, invalidFields } from '../../../kernel/errors.ts'
import { shareLoop } from '../../../kernel/loop-share.ts'
import { parseTemplate, TemplateError } from '../templates/template.ts'
import type { CampaignSequence, CampaignSequenceInput } from './sequence-schema.ts'

/** What a JSON Schema cannot say of the sequences of a request. Paths are those of its body. */
export async function problemsWithSequences(
  ctx: Pick<Context, 'monotonicMs'>,
  sequences: CampaignSequenceInput[],
): Promise<ErrorDetail[]> {
  const problems: ErrorDetail[] = []
  for (const { step, path } of stepsOf(sequences)) {
    for (const each of variantsOf(step, path)) {
      problems.push(...(await shareLoop(ctx, () => variantProblems(each))))
    }
  }
  return [...problems, ...problemsWithSteps(sequences)]
}

/** The problems of steps, without what is wrong with texts. */
export function problemsWithSteps(sequences: CampaignSequenceInput[]): ErrorDetail[] {
  const late = stepsOf(sequences).filter(({ step, first }) => step.delay === undefined && !first)
  return [
    ...late.map(({ path }) => problem(`${path}/delay`, delayMissing)),
    ...repeatedIds(sequences),
  ]
}

/** Why the sequences cannot be sent yet; a draft may have all of these. */
export function readinessProblems(sequences: CampaignSequence[]): ErrorDetail[] {
  const steps = stepsOf(sequences)
  if (steps.length === 0) return [{ path: '/sequences', message: 'The campaign has no step.' }]
  return steps.flatMap(({ step, first, number, path }) => {
    const enabled = variantsOf(step, path).filter(({ variant }) => !variant.v_disabled)
    if (enabled.length === 0) {
      return [{ path: `${path}/variants`, message: `Step ${number} has no enabled variant.` }]
    }
    // There is no thread yet that an empty subject could continue.
    const withoutSubject = enabled.filter(({ variant }) => first && variant.subject.trim() === '')
    const withoutText = enabled.filter(({ variant }) => isBlank(variant.body))
    return [
      ...withoutSubject.map(({ path }) => ({
        path: `${path}/subject`,
        message: 'The first step needs a subject in every enabled variant.',
      })),
      ...withoutText.map(({ path }) => ({
        path: `${path}/body`,
        message: `The mail of step ${number} has no text.`,
      })),
    ]
  })
}

/**
 * The sequences of a request as they are kept. A step or variant with an id is the one that the
 * campaign has, wherever it now stands; one without is new.
 * @throws AppError `invalid_field` for an id that the campaign does not have
 */
export function stepsWithIds(
  existing: CampaignSequence[],
  incoming: CampaignSequenceInput[],
  newId: () => string,
): CampaignSequence[] {
  const unknown = unknownIds(existing, incoming)
  if (unknown.length > 0) throw invalidFields(unknown)
  return incoming.map(({ steps }) => ({
    steps: steps.map(({ id, type = 'email', delay = 0, delay_unit = 'days', variants }) => ({
      id: id?.toLowerCase() ?? newId(),
      type,
      delay,
      delay_unit,
      variants: variants.map(({ id, subject = '', body, v_disabled = false }) => ({
        id: id?.toLowerCase() ?? newId(),
        subject,
        body,
        v_disabled,
      })),
    })),
  }))
}

/** Whoever gets it would see nothing at all. */
const isBlank = (body: string) =>
  !/<img\b/i.test(body) && body.replace(/<[^<>]*>|&nbsp;|\s/gi, '') === ''

const bodyBytesMax = 256 * 1024

const delayMissing = 'is required of every step but the first'

const problem = (path: string, message: string): ErrorDetail => ({
  path,
  message: `${path.slice(1).replaceAll('/', '.')} ${message}`,
})

/** Why its texts cannot be saved. */
export function variantProblems({
  variant,
  path,
}: {
  variant: VariantInput
  path: string
}): ErrorDetail[] {
  return [
    ...templateProblems(`${path}/subject`, variant.subject ?? ''),
    ...bodyProblems(`${path}/body`, variant.body),
  ]
}

type VariantInput = CampaignSequenceInput['steps'][number]['variants'][number]

function bodyProblems(path: string, body: string): ErrorDetail[] {
  if (Buffer.byteLength(body) <= bodyBytesMax) return templateProblems(path, body)
  return [problem(path, `must have at most ${bodyBytesMax} bytes of UTF-8`)]
}

function templateProblems(path: string, text: string): ErrorDetail[] {
  try {
    parseTemplate(text)
    return []
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return [problem(path, `is not a template. ${error.message}`)]
  }
}

/** With the JSON pointer of each, and its number from 1. */
const stepsOf = <Step>(sequences: { steps: Step[] }[]) =>
  sequences.flatMap(({ steps }, sequence) =>
    steps.map((step, index) => ({
      step,
      first: index === 0,
      number: index + 1,
      path: `/sequences/${sequence}/steps/${index}`,
    })),
  )

/** Of all steps, with the JSON pointer of each. */
export const variantsOfSequences = (sequences: CampaignSequence[]) =>
  stepsOf(sequences).flatMap(({ step, path }) => variantsOf(step, path))

const variantsOf = <Variant>(step: { variants: Variant[] }, stepPath: string) =>
  step.variants.map((variant, index) => ({ variant, path: `${stepPath}/variants/${index}` }))

interface Id {
  of: 'step' | 'variant'
  id: string
  path: string
}

function idsOf(sequences: (CampaignSequenceInput | CampaignSequence)[]): Id[] {
  const ids = stepsOf<CampaignSequenceInput['steps'][number]>(sequences).flatMap(
    ({ step, path }) => [
      { of: 'step' as const, id: step.id, path: `${path}/id` },
      ...variantsOf(step, path).map(({ variant, path }) => ({
        of: 'variant' as const,
        id: variant.id,
        path: `${path}/id`,
      })),
    ],
  )
  return ids.flatMap(({ id, ...rest }) => (id ? [{ ...rest, id: id.toLowerCase() }] : []))
}

function repeatedIds(sequences: CampaignSequenceInput[]): ErrorDetail[] {
  const ids = idsOf(sequences)
  const first = new Map(ids.toReversed().map(({ id, path }) => [id, path]))
  return ids
    .filter(({ id, path }) => first.get(id) !== path)
    .map(({ path }) => problem(path, 'is the id of another step or variant in this request'))
}

function unknownIds(
  existing: CampaignSequence[],
  incoming: CampaignSequenceInput[],
): ErrorDetail[] {
  const known = new Set(idsOf(existing).map(({ of, id }) => `${of} ${id}`))
  return idsOf(incoming)
    .filter(({ of, id }) => !known.has(`${of} ${id}`))
    .map(({ of, path }) =>
      problem(path, `is no ${of} of this campaign; leave it out for a new one`),
    )
}
