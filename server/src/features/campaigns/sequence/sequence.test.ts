import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../kernel/errors.ts'
import { problemsWithSequences, readinessProblems, stepsWithIds } from './sequence.ts'
import type { CampaignSequence, CampaignSequenceInput } from './sequence-schema.ts'

type StepInput = CampaignSequenceInput['steps'][number]
type VariantInput = StepInput['variants'][number]

const variant = (more: Partial<VariantInput> = {}): VariantInput => ({
  subject: 'Hi',
  body: 'x',
  ...more,
})
const step = (more: Partial<StepInput> = {}): StepInput => ({ variants: [variant()], ...more })
const sequence = (...steps: StepInput[]): CampaignSequenceInput[] => [{ steps }]
const check = (given: CampaignSequenceInput[]) =>
  problemsWithSequences({ monotonicMs: () => 0 }, given)
const variants = (...list: Partial<VariantInput>[]) =>
  sequence(step({ variants: list.map(variant) }))

function createIds() {
  let made = 0
  return () => `abcdef00-0000-7000-8000-${String(++made).padStart(12, '0')}`
}
const id = (number: number) => `abcdef00-0000-7000-8000-${String(number).padStart(12, '0')}`
const stored = (...steps: StepInput[]) => stepsWithIds([], sequence(...steps), createIds())

describe('a sequence that cannot be sent as it is meant is refused', () => {
  test.each<[string, CampaignSequenceInput[], string, RegExp]>([
    [
      'a subject without its end',
      variants({}, { subject: 'a {{ first_name' }),
      '/sequences/0/steps/0/variants/1/subject',
      /^sequences\.0\.steps\.0\.variants\.1\.subject is not a template\. .* at line 1, column 3$/,
    ],
    [
      'a body with an open tag',
      variants({ body: '<p>\n  {% if x %}' }),
      '/sequences/0/steps/0/variants/0/body',
      /at line 2, column 3$/,
    ],
    [
      'a disabled variant that does not parse',
      variants({ body: '{a|b', v_disabled: true }),
      '/sequences/0/steps/0/variants/0/body',
      /spintax/,
    ],
    [
      'a body of too many bytes',
      variants({ body: '€'.repeat(90_000) }),
      '/sequences/0/steps/0/variants/0/body',
      /262144 bytes/,
    ],
    [
      'a follow-up without a delay',
      sequence(step(), step()),
      '/sequences/0/steps/1/delay',
      /required/,
    ],
    [
      'two steps of one id',
      sequence(step({ id: id(1) }), step({ id: id(1), delay: 1 })),
      '/sequences/0/steps/1/id',
      /another step/,
    ],
    [
      'a variant with the id of its step',
      sequence(step({ id: id(1), variants: [variant({ id: id(1) })] })),
      '/sequences/0/steps/0/variants/0/id',
      /another step/,
    ],
    [
      'one id in two cases',
      variants(
        { id: 'ABCDEFAB-0000-7000-8000-000000000000' },
        { id: 'abcdefab-0000-7000-8000-000000000000' },
      ),
      '/sequences/0/steps/0/variants/1/id',
      /another step/,
    ],
  ])('%s', async (_, sequences, path, message) => {
    expect(await check(sequences)).toEqual([{ path, message: expect.stringMatching(message) }])
  })

  test('all problems are named', async () => {
    const bad = variant({ subject: '{{', body: '{%' })
    expect(
      await check(sequence(step({ variants: [bad] }), step({ variants: [bad] }))),
    ).toHaveLength(5)
  })

  test.each<[string, CampaignSequenceInput[]]>([
    ['none', []],
    ['one step', sequence(step())],
    ['a follow-up at once', sequence(step(), step({ delay: 0 }))],
    ['no subject', variants({ subject: '' })],
    ['a body of 256 KiB', variants({ body: 'x'.repeat(262_144) })],
    ['different ids', sequence(step({ id: id(1), variants: [variant({ id: id(2) })] }))],
  ])('%s is accepted', async (_, sequences) => {
    expect(await check(sequences)).toEqual([])
  })
})

describe('a campaign can start when each step has something to send', () => {
  const off = variant({ v_disabled: true })
  const blank = variant({ subject: ' ' })
  test.each<[string, CampaignSequence[], string[]]>([
    ['no sequence', [], ['/sequences']],
    ['no step', [{ steps: [] }], ['/sequences']],
    ['one step', stored(step()), []],
    [
      'only disabled variants',
      stored(step(), step({ variants: [off, off] })),
      ['/sequences/0/steps/1/variants'],
    ],
    ['one that is not', stored(step({ variants: [off, variant()] })), []],
    [
      'first mails without a subject',
      stored(step({ variants: [blank, variant(), blank] })),
      ['/sequences/0/steps/0/variants/0/subject', '/sequences/0/steps/0/variants/2/subject'],
    ],
    [
      'a disabled one without',
      stored(step({ variants: [{ ...blank, v_disabled: true }, variant()] })),
      [],
    ],
    ['a follow-up without', stored(step(), step({ variants: [blank] })), []],
    [
      'mails without a text',
      stored(
        step({ variants: [variant({ body: '<p>&nbsp;</p>' })] }),
        step({ variants: [variant({ body: ' ' }), { ...off, body: '' }] }),
      ),
      ['/sequences/0/steps/0/variants/0/body', '/sequences/0/steps/1/variants/0/body'],
    ],
    ['a picture alone', stored(step({ variants: [variant({ body: '<img src="x">' })] })), []],
    [
      'two problems',
      stored(step({ variants: [off] }), step({ variants: [off] })),
      ['/sequences/0/steps/0/variants', '/sequences/0/steps/1/variants'],
    ],
  ])('%s', (_, sequences, paths) => {
    const problems = readinessProblems(sequences)
    expect(problems.map(({ path }) => path)).toEqual(paths)
    for (const { message } of problems) expect(message).toMatch(/\.$/)
  })
})

describe('steps and variants are known by their ids', () => {
  test('what comes without an id is new and gets the defaults', () => {
    expect(
      stepsWithIds(
        [],
        sequence(
          step(),
          step({ delay: 3, delay_unit: 'hours', variants: [{ body: 'y', v_disabled: true }] }),
        ),
        createIds(),
      ),
    ).toEqual([
      {
        steps: [
          {
            id: id(1),
            type: 'email',
            delay: 0,
            delay_unit: 'days',
            variants: [{ id: id(2), subject: 'Hi', body: 'x', v_disabled: false }],
          },
          {
            id: id(3),
            type: 'email',
            delay: 3,
            delay_unit: 'hours',
            variants: [{ id: id(4), subject: '', body: 'y', v_disabled: true }],
          },
        ],
      },
    ])
  })

  test('what comes with one keeps it, also in another place, step or case', () => {
    const before = stored(step(), step({ delay: 1, variants: [variant(), variant()] }))
    const [first, second] = before[0]?.steps ?? []
    if (!first || !second) throw new Error('two steps expected')
    const moved = {
      ...second,
      id: second.id.toUpperCase(),
      variants: [...first.variants, variant()],
    }
    const newId = () => id(99)
    expect(stepsWithIds(before, sequence(moved), newId)).toEqual([
      {
        steps: [
          {
            ...second,
            variants: [...first.variants, { ...variant(), id: id(99), v_disabled: false }],
          },
        ],
      },
    ])
  })

  test.each<[string, StepInput, string]>([
    ['a step of nowhere', step({ id: id(77) }), '/sequences/0/steps/0/id'],
    [
      'a variant of nowhere',
      step({ variants: [variant({ id: id(77) })] }),
      '/sequences/0/steps/0/variants/0/id',
    ],
    ['a variant as a step', step({ id: id(2) }), '/sequences/0/steps/0/id'],
    [
      'a step as a variant',
      step({ variants: [variant({ id: id(1) })] }),
      '/sequences/0/steps/0/variants/0/id',
    ],
  ])('%s is refused', (_, given, path) => {
    const before = stored(step())
    const refused = () => stepsWithIds(before, sequence(given), createIds())
    expect(refused).toThrow(AppError)
    expect(refused).toThrow(
      expect.objectContaining({
        code: 'invalid_field',
        details: [{ path, message: expect.stringContaining('leave it out') }],
      }),
    )
  })

  test('sending back what was read changes nothing, whatever was made before', async () => {
    const anyStep = fc.record({
      delay: fc.nat(10),
      delay_unit: fc.constantFrom('minutes' as const, 'hours' as const, 'days' as const),
      variants: fc.array(
        fc.record({ subject: fc.string(), body: fc.string(), v_disabled: fc.boolean() }),
        { minLength: 1, maxLength: 3 },
      ),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 4 }), async (steps) => {
        const before = stored(...steps)
        const problems = await check(before)
        expect(problems.filter(({ path }) => path.endsWith('/id'))).toEqual([])
        const never = () => expect.unreachable('no id is new')
        expect(stepsWithIds(before, structuredClone(before), never)).toEqual(before)
        expect(before).toMatchObject([{ steps }])
      }),
    )
  })
})
