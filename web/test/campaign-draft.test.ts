import { expect, test } from 'vitest'
import type { Campaign, CampaignChanges } from '../src/api/generated/types.gen.ts'
import { CampaignDraft } from '../src/features/campaigns/draft-store.ts'
import { type Conflict, merge, setAt } from '../src/features/campaigns/merge.ts'

const step = (id: string, body: string) => ({
  ...{ id, type: 'email' as const, delay: 0, delay_unit: 'days' as const },
  variants: [{ id: `${id}v`, subject: 'Hello', body, v_disabled: false }],
})
const campaign = (more: object = {}): Campaign =>
  ({
    ...{ id: 'c', name: 'Founders', daily_limit: null, sequences: [{ steps: [step('a', 'one')] }] },
    timestamp_updated: '2026-11-20T09:00:00.000Z',
    ...more,
  }) as unknown as Campaign

function memory(texts = new Map<string, string>()) {
  return {
    texts,
    getItem: (name: string) => texts.get(name) ?? null,
    setItem: (name: string, text: string) => void texts.set(name, text),
    removeItem: (name: string) => void texts.delete(name),
  }
}

test('changes of different parts are put together, and of the same one is a conflict', () => {
  const base = [{ steps: [step('a', 'one'), step('b', 'two')] }]
  const mine = [{ steps: [step('a', 'mine'), step('b', 'two'), step('new-1', 'more')] }]
  const theirs = [{ steps: [step('a', 'one'), step('b', 'theirs')] }]
  const conflicts: Conflict[] = []
  const merged = merge(base, mine, theirs, conflicts, '/sequences')
  expect(conflicts).toEqual([])
  expect(merged[0]?.steps.map(({ variants }) => variants[0]?.body)).toEqual([
    ...['mine', 'theirs', 'more'],
  ])

  const also = [{ steps: [step('a', 'not mine'), step('b', 'two')] }]
  const kept = merge(base, mine, also, conflicts, '/sequences')
  const path = '/sequences/0/steps/0/variants/0/body'
  expect(conflicts).toEqual([{ path, mine: 'mine', theirs: 'not mine' }])
  const [first] = setAt({ sequences: kept }, path, 'mine').sequences[0]?.steps ?? []
  expect(first?.variants[0]?.body).toBe('mine')
})

test('a step that one took out while the other wrote in it is a conflict, not a loss', () => {
  const base = [{ steps: [step('a', 'one'), step('b', 'two')] }]
  const mine = [{ steps: [step('a', 'one'), step('b', 'mine')] }]
  const theirs = [{ steps: [step('a', 'one')] }]
  const conflicts: Conflict[] = []
  merge(base, mine, theirs, conflicts)
  expect(conflicts).toHaveLength(1)
})

test('what is typed while a save is under way is saved after it, by the ids that were given', async () => {
  const bodies: CampaignChanges[] = []
  let answer: (saved: Campaign) => void = () => undefined
  const draft = new CampaignDraft(campaign(), {
    save: (body) => {
      bodies.push(body)
      return new Promise((resolve) => {
        answer = resolve
      })
    },
    read: async () => campaign(),
    onSaved: () => undefined,
    storage: memory(),
  })
  draft.set({ sequences: [{ steps: [step('a', 'one'), step('new-1', 'two')] }] })
  const saving = draft.flush()
  await expect.poll(() => bodies.length).toBe(1)
  draft.set({ sequences: [{ steps: [step('a', 'one'), step('new-1', 'two and more')] }] })
  answer(
    campaign({
      sequences: [{ steps: [step('a', 'one'), step('b', 'two')] }],
      timestamp_updated: '2026-11-20T09:00:01.000Z',
    }),
  )
  await saving
  const next = draft.flush()
  await expect.poll(() => bodies.length).toBe(2)
  expect(bodies.map(({ sequences }) => sequences?.[0]?.steps[1]?.id)).toEqual([undefined, 'b'])
  expect(draft.keyOf('b')).toBe('new-1')
  answer(campaign({ timestamp_updated: '2026-11-20T09:00:02.000Z' }))
  await next
  expect(draft.state().saving).toBe('saved')
})

test('what cannot be saved stays in the browser, and is there again when the page is', async () => {
  const storage = memory()
  const parts = {
    save: () => Promise.reject({ code: 'unreachable', message: 'Away.' }),
    read: async () => campaign(),
    onSaved: () => undefined,
    storage,
  }
  const draft = new CampaignDraft(campaign(), parts)
  draft.set({ name: 'Typed' })
  await draft.flush()
  expect(draft.state()).toMatchObject({ saving: 'refused', campaign: { name: 'Typed' } })

  const later = campaign({ daily_limit: 7, timestamp_updated: '2026-11-20T10:00:00.000Z' })
  const saved: CampaignChanges[] = []
  const again = new CampaignDraft(later, {
    ...parts,
    save: async (body) => {
      saved.push(body)
      return campaign({ ...later, ...body, timestamp_updated: '2026-11-20T10:00:01.000Z' })
    },
  })
  expect(again.state().campaign).toMatchObject({ name: 'Typed', daily_limit: 7 })
  await again.flush()
  expect(saved).toEqual([{ name: 'Typed' }])
  expect(storage.texts.size).toBe(0)
})

test('both versions stay in sight until a person has chosen, though the page reads again meanwhile', async () => {
  const theirs = campaign({ name: 'Theirs', timestamp_updated: '2026-11-20T10:00:00.000Z' })
  const draft = new CampaignDraft(campaign(), {
    save: () => Promise.reject({ code: 'version_conflict', message: 'Somebody was earlier.' }),
    read: async () => theirs,
    onSaved: () => undefined,
    storage: memory(),
  })
  draft.set({ name: 'Mine' })
  await draft.flush()
  draft.adopt(theirs)
  const conflict = { path: '/name', mine: 'Mine', theirs: 'Theirs' }
  expect(draft.state()).toMatchObject({ saving: 'conflict', conflicts: [conflict] })
})
