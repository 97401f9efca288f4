import { expect, onTestFinished, test, vi } from 'vitest'
import type { Campaign, CampaignChanges } from '../src/api/generated/types.gen.ts'
import { CampaignDraft } from '../src/features/campaigns/campaign-draft.ts'
import { toBody } from '../src/features/campaigns/edits.ts'
import { type Conflict, merge, setAt } from '../src/features/campaigns/merge.ts'
import { sentencesOf } from '../src/features/campaigns/save-accepted.ts'
import { stepBack } from '../src/features/campaigns/steps/edit-steps.ts'
import { writeStored } from '../src/lib/browser-storage.ts'

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
    names: () => [...texts.keys()],
    read: (name: string) => texts.get(name) ?? null,
    write: (name: string, text: string | undefined) =>
      text === undefined ? texts.delete(name) : texts.set(name, text),
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
  expect(conflicts).toEqual([{ path, base: 'one', mine: 'mine', theirs: 'not mine' }])
  const [first] = setAt({ sequences: kept }, path, 'mine').sequences[0]?.steps ?? []
  expect(first?.variants[0]?.body).toBe('mine')
})

test('a wait, and hours with their zone, are merged as one value: nobody gets what nobody chose', () => {
  const waiting = (delay: number, delay_unit: string) => ({
    sequences: [{ steps: [{ ...step('a', 'one'), delay, delay_unit }] }],
  })
  const open = (from: string, to: string, timezone = 'Europe/Berlin') => ({
    schedules: [{ name: 'Week', timing: { from, to }, timezone, days: { 1: true } }],
  })
  const whole = (base: object, mine: object, theirs: object) => {
    const conflicts: Conflict[] = []
    const merged = merge(base, mine, theirs, conflicts)
    const chosen = conflicts.reduce((value, each) => setAt(value, each.path, each.mine), merged)
    return { merged, conflicts, chosen }
  }

  const wait = whole(waiting(3, 'days'), waiting(10, 'days'), waiting(3, 'hours'))
  const path = '/sequences/0/steps/0/wait'
  const base = { delay: 3, delay_unit: 'days' }
  const mine = { delay: 10, delay_unit: 'days' }
  const theirs = { delay: 3, delay_unit: 'hours' }
  expect(wait.conflicts).toEqual([{ path, base, mine, theirs }])
  expect(wait.merged).toEqual(waiting(3, 'hours'))
  expect(wait.chosen).toEqual(waiting(10, 'days'))

  const hours = whole(open('09:00', '17:00'), open('09:00', '20:00'), open('18:00', '22:00'))
  expect(hours.conflicts.map((each) => each.path)).toEqual(['/schedules/0/hours'])
  expect(hours.chosen).toEqual(open('09:00', '20:00'))
  const zone = open('09:00', '17:00', 'America/New_York')
  const moved = whole(open('09:00', '17:00'), open('07:00', '15:00'), zone)
  expect(moved.merged).toEqual(zone)
  expect(moved.conflicts).toHaveLength(1)

  // What each changed elsewhere is put together as before.
  const named = { schedules: [{ ...open('09:00', '17:00').schedules[0], name: 'Days' }] }
  expect(whole(open('09:00', '17:00'), named, zone)).toMatchObject({
    merged: { schedules: [{ ...zone.schedules[0], name: 'Days' }] },
    conflicts: [],
  })
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
    userId: 'anna',
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

test('a record that is read while a save is under way takes nothing of what is typed meanwhile', async () => {
  const own = campaign({ name: 'Mine', timestamp_updated: '2026-11-20T09:00:01.000Z' })
  const theirs = campaign({ name: 'Theirs', timestamp_updated: '2026-11-20T09:00:01.000Z' })
  const bodies: CampaignChanges[] = []
  const storage = memory()
  let first = Promise.withResolvers<Campaign>()
  const parts = {
    save: (body: CampaignChanges) =>
      bodies.push(body) === 1 ? first.promise : Promise.resolve(own),
    ...{ read: async () => theirs, onSaved: () => undefined, userId: 'anna', storage },
  }
  async function typeWhileSaving(record: Campaign) {
    bodies.length = 0
    first = Promise.withResolvers()
    const draft = new CampaignDraft(campaign(), parts)
    draft.set({ name: 'Mine' })
    const saving = draft.flush()
    await expect.poll(() => bodies.length).toBe(1)
    draft.set({ name: 'Mine, and more' })
    draft.adopt(record)
    return { draft, saving }
  }

  const alone = await typeWhileSaving(own)
  first.resolve(own)
  await alone.saving
  expect(alone.draft.state()).toMatchObject({ campaign: { name: 'Mine, and more' } })
  await alone.draft.flush()
  expect(bodies).toEqual([{ name: 'Mine' }, { name: 'Mine, and more' }])
  expect(storage.texts.size).toBe(0)

  const two = await typeWhileSaving(theirs)
  first.reject({ code: 'version_conflict', message: 'Late.' })
  await two.saving
  const conflict = { path: '/name', mine: 'Mine, and more', theirs: 'Theirs' }
  expect(two.draft.state()).toMatchObject({ saving: 'conflict', conflicts: [conflict] })
  expect(storage.texts.size).toBe(1)
})

test('a step that somebody else removed is kept as a new one by who chooses their own', async () => {
  const theirs = campaign({ timestamp_updated: '2026-11-20T10:00:00.000Z' })
  const bodies: CampaignChanges[] = []
  const draft = new CampaignDraft(
    campaign({ sequences: [{ steps: [step('a', 'one'), step('b', 'two')] }] }),
    {
      async save(body, version) {
        if (version !== theirs.timestamp_updated)
          throw { code: 'version_conflict', message: 'Late.' }
        bodies.push(body)
        const sequences = [{ steps: [step('a', 'one'), step('c', 'mine')] }]
        return campaign({ sequences, timestamp_updated: '2026-11-20T10:00:01.000Z' })
      },
      ...{ read: async () => theirs, onSaved: () => undefined, userId: 'anna', storage: memory() },
    },
  )
  draft.set({ sequences: [{ steps: [step('a', 'one'), step('b', 'mine')] }] })
  await draft.flush()
  draft.resolve([true])
  await draft.flush()
  const { id: _step, ...asNewStep } = step('b', 'mine')
  const variants = asNewStep.variants.map(({ id: _variant, ...variant }) => variant)
  expect(bodies).toEqual([
    { sequences: [{ steps: [step('a', 'one'), { ...asNewStep, variants }] }] },
  ])
  expect(draft.state().saving).toBe('saved')
  expect(draft.keyOf('c')).toBe('b')
})

/** A draft with a step that was added, and a text changed, whose save was not answered. */
async function withLostAnswer(steps = [step('a', 'one'), step('new-1', '')]) {
  const storage = memory()
  const bodies: CampaignChanges[] = []
  const server = { now: campaign(), isAway: true }
  const parts = {
    async save(body: CampaignChanges, version: string) {
      if (server.isAway) throw { code: 'unreachable', message: 'Away.' }
      if (version !== server.now.timestamp_updated) {
        throw { code: 'version_conflict', message: 'Late.' }
      }
      bodies.push(body)
      return campaign({ ...server.now, ...body, timestamp_updated: '2026-11-20T11:00:00.000Z' })
    },
    ...{ read: async () => server.now, onSaved: () => undefined, userId: 'anna', storage },
  }
  const draft = new CampaignDraft(server.now, parts)
  draft.set({ name: 'Mine', sequences: [{ steps }] })
  await draft.flush()
  expect(draft.state()).toMatchObject({ saving: 'refused' })
  server.isAway = false
  const answer = (name: string, steps: object[]) => {
    server.now = campaign({
      ...{ name, sequences: [{ steps }], timestamp_updated: '2026-11-20T10:00:00.000Z' },
    })
    return server.now
  }
  return { draft, parts, storage, bodies, answer }
}
test('a save that was made and whose answer got lost is no conflict with oneself', async () => {
  const lost = await withLostAnswer()
  const record = lost.answer('Mine', [step('a', 'one'), step('b', '')])
  const again = new CampaignDraft(record, {
    ...lost.parts,
    storage: memory(new Map(lost.storage.texts)),
  })
  expect(again.state()).toMatchObject({ saving: 'saved', conflicts: [] })
  await lost.draft.flush()
  expect(lost.draft.state()).toMatchObject({ saving: 'saved', conflicts: [], campaign: record })
  expect(lost.draft.keyOf('b')).toBe('new-1')
  expect(lost.draft.keyOf('bv')).toBe('new-1v')
  expect(lost.bodies).toEqual([])
  expect(lost.storage.texts.size).toBe(0)
})

test('what is typed after an answer got lost is put together with what others changed since', async () => {
  const lost = await withLostAnswer()
  lost.draft.set({
    ...{ name: 'Mine, and more' },
    sequences: [{ steps: [step('a', 'one'), step('new-1', 'typed on')] }],
  })
  lost.answer('Mine', [step('a', 'theirs'), step('b', '')])
  await lost.draft.flush()
  expect(lost.draft.state()).toMatchObject({ saving: 'unsaved', conflicts: [] })
  await lost.draft.flush()
  const steps = [step('a', 'theirs'), step('b', 'typed on')]
  expect(lost.bodies).toEqual([{ name: 'Mine, and more', sequences: [{ steps }] }])
})

test('a step of somebody else is not taken for the own one whose answer got lost', async () => {
  for (const [name, body] of [
    ['Founders', ''],
    ['Theirs', ''],
    ['Mine', 'theirs'],
  ] as const) {
    const lost = await withLostAnswer()
    lost.answer(name, [step('a', 'one'), step('b', body)])
    await lost.draft.flush()
    expect(lost.draft.state()).toMatchObject({ saving: 'conflict' })
  }
  const first = await withLostAnswer([step('new-1', ''), step('a', 'one')])
  first.answer('Mine', [step('a', 'theirs')])
  await first.draft.flush()
  expect(first.draft.state().campaign.sequences[0]?.steps).toHaveLength(2)
})

test('what cannot be saved stays in the browser, and is there again when the page is', async () => {
  const storage = memory()
  const parts = {
    save: () => Promise.reject({ code: 'unreachable', message: 'Away.' }),
    read: async () => campaign(),
    onSaved: () => undefined,
    userId: 'anna',
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

test('what one tab could not save is there again, whatever another tab of the same campaign does', async () => {
  const storage = memory()
  const away = {
    save: () => Promise.reject({ code: 'unreachable', message: 'Away.' }),
    ...{ read: async () => campaign(), onSaved: () => undefined, userId: 'anna', storage },
  }
  const first = new CampaignDraft(campaign(), away)
  const other = new CampaignDraft(campaign(), away)
  first.set({ name: 'Typed' })
  await first.flush()
  const later = campaign({ status: 'paused', timestamp_updated: '2026-11-20T10:00:00.000Z' })
  other.adopt(later)
  const again = new CampaignDraft(later, away)
  expect(again.state()).toMatchObject({ saving: 'unsaved', campaign: { name: 'Typed' } })

  other.set({ daily_limit: 7 })
  await Promise.all([other.flush(), again.flush()])
  const saved: CampaignChanges[] = []
  let version = later
  const last = new CampaignDraft(later, {
    ...away,
    async save(body) {
      saved.push(body)
      const updated = new Date(Date.parse(version.timestamp_updated) + 1000).toISOString()
      version = campaign({ ...version, ...body, timestamp_updated: updated })
      return version
    },
  })
  await last.flush()
  await last.flush()
  expect(saved).toEqual([{ name: 'Typed' }, { daily_limit: 7 }])
  expect(last.state()).toMatchObject({ saving: 'saved', campaign: { name: 'Typed' } })
  expect(storage.texts.size).toBe(0)
})

test('both versions stay in sight until a person has chosen, also after a reload', async () => {
  const storage = memory()
  const theirs = campaign({
    ...{ name: 'Theirs', daily_limit: 7, timestamp_updated: '2026-11-20T10:00:00.000Z' },
  })
  const saved: CampaignChanges[] = []
  const parts = {
    async save(body: CampaignChanges, version: string) {
      if (version !== theirs.timestamp_updated) throw { code: 'version_conflict', message: 'Late.' }
      saved.push(body)
      return campaign({ ...theirs, ...body, timestamp_updated: '2026-11-20T10:00:01.000Z' })
    },
    read: async () => theirs,
    onSaved: () => undefined,
    userId: 'anna',
    storage,
  }
  const draft = new CampaignDraft(campaign(), parts)
  draft.set({ name: 'Mine' })
  await draft.flush()
  draft.adopt(theirs)
  const conflict = { path: '/name', mine: 'Mine', theirs: 'Theirs' }
  expect(draft.state()).toMatchObject({ saving: 'conflict', conflicts: [conflict] })

  const again = new CampaignDraft(theirs, parts)
  expect(again.state()).toMatchObject({ saving: 'conflict', conflicts: [conflict] })
  again.resolve([true])
  await again.flush()
  expect(saved).toEqual([{ name: 'Mine' }])
  expect(again.state()).toMatchObject({ saving: 'saved', campaign: { daily_limit: 7 } })
  expect(storage.texts.size).toBe(0)
})

test('what was refused is not sent again because counts have changed', async () => {
  let sent = 0
  const draft = new CampaignDraft(campaign(), {
    async save() {
      sent++
      throw { code: 'validation_error', message: 'It is too long.' }
    },
    read: async () => campaign(),
    onSaved: () => undefined,
    userId: 'anna',
    storage: memory(),
  })
  draft.set({ name: 'Much too long' })
  await draft.flush()
  draft.adopt(campaign({ status: 'paused' }))
  expect(draft.state()).toMatchObject({
    ...{ saving: 'refused', fault: { message: 'It is too long.' } },
    campaign: { name: 'Much too long', status: 'paused' },
  })
  expect(sent).toBe(1)
})

test('a part that is refused holds up no other, and all that is refused is told', async () => {
  const bodies: CampaignChanges[] = []
  const refuse = (...details: [path: string, message: string][]) => ({
    ...{ code: 'invalid_field', statusCode: 400, message: details[0]?.[1] },
    details: details.map(([path, message]) => ({ path, message })),
  })
  const draft = new CampaignDraft(campaign(), {
    async save(body) {
      bodies.push(body)
      if (body.name === '') throw refuse(['/name', 'No name.'], ['/cc_list/0', 'No address.'])
      if (body.daily_limit === 0) throw refuse(['/daily_limit', 'No limit.'])
      return campaign({ ...body, timestamp_updated: '2026-11-20T09:00:01.000Z' })
    },
    ...{ read: async () => campaign(), onSaved: () => undefined, userId: 'u', storage: undefined },
  })
  draft.set({ name: '', cc_list: ['x'], daily_limit: 0, stop_for_company: true })
  await draft.flush()
  expect(bodies.at(-1)).toEqual({ stop_for_company: true })
  const { saving, fault, campaign: shown, base } = draft.state()
  expect([saving, fault && sentencesOf(fault)]).toEqual([
    'refused',
    ['No name.', 'No address.', 'No limit.'],
  ])
  expect(shown).toMatchObject({ name: '', cc_list: ['x'], daily_limit: 0, stop_for_company: true })
  expect(base).toMatchObject({ name: 'Founders', stop_for_company: true })
  // What is put right goes with what was refused.
  draft.set({ name: 'Named', cc_list: [], daily_limit: 5 })
  await draft.flush()
  expect(bodies.at(-1)).toEqual({ name: 'Named', cc_list: [], daily_limit: 5 })
  expect(draft.state().saving).toBe('saved')
})

test('what is refused for a moment is saved by itself after it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const busy = { code: 'rate_limited', statusCode: 429, message: 'Wait 2 s.', retryAfterMs: 2000 }
  let asked = 0
  const draft = new CampaignDraft(campaign(), {
    async save(body) {
      asked += 1
      if (asked === 1) throw busy
      return campaign({ ...body, timestamp_updated: '2026-11-20T09:00:01.000Z' })
    },
    ...{ read: async () => campaign(), onSaved: () => undefined, userId: 'u', storage: undefined },
  })
  draft.set({ name: 'Patient' })
  await draft.flush()
  expect(draft.state()).toMatchObject({ saving: 'refused', fault: busy })
  await vi.advanceTimersByTimeAsync(2000)
  expect(draft.state()).toMatchObject({ saving: 'saved', campaign: { name: 'Patient' } })
})

test('a browser whose storage is full, and somebody else at the same one, lose and see nothing', async () => {
  const storage = memory()
  const saved: CampaignChanges[] = []
  const parts = {
    async save(body: CampaignChanges) {
      saved.push(body)
      return campaign({ ...body, timestamp_updated: '2026-11-20T10:00:01.000Z' })
    },
    read: async () => campaign(),
    onSaved: () => undefined,
    userId: 'anna',
    storage,
  }
  new CampaignDraft(campaign(), parts).set({ name: 'Typed' })
  for (const other of [{ userId: 'bela' }, { storage: undefined }]) {
    const theirs = new CampaignDraft(campaign(), { ...parts, ...other })
    expect(theirs.state()).toMatchObject({ saving: 'saved', campaign: { name: 'Founders' } })
  }
  const setItem = () => {
    throw new DOMException('It is full.', 'QuotaExceededError')
  }
  vi.stubGlobal('localStorage', { setItem })
  onTestFinished(() => void vi.unstubAllGlobals())
  const draft = new CampaignDraft(campaign(), {
    ...{ ...parts, storage: { ...storage, write: writeStored } },
  })
  draft.set({ name: 'Typed on' })
  await draft.flush()
  expect(saved).toEqual([{ name: 'Typed on' }])
})

/** A draft whose time stands still, what the server was sent, and what it refuses first. */
function held(faults: (object | Promise<object>)[] = []) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 0 })
  onTestFinished(() => void vi.useRealTimers())
  const bodies: CampaignChanges[] = []
  const server = {
    now: campaign({ sequences: [{ steps: [step('a', 'one'), step('b', 'two')] }] }),
  }
  const later = (changes: object) => {
    const updated = new Date(Date.parse(server.now.timestamp_updated) + 1000).toISOString()
    server.now = campaign({ ...server.now, ...changes, timestamp_updated: updated })
    return server.now
  }
  const parts = {
    async save(body: CampaignChanges) {
      bodies.push(body)
      const fault = await faults.shift()
      if (fault) throw fault
      return later(body)
    },
    read: async () => server.now,
    ...{ onSaved: () => undefined, userId: 'anna', storage: memory() },
  }
  return { draft: new CampaignDraft(server.now, parts), parts, server, later, bodies }
}
const heldMs = 8000
const busy = { ...{ code: 'rate_limited', statusCode: 429 }, message: 'Wait.', retryAfterMs: 1000 }

test('what can be undone yet is saved once it cannot be any more, or when somebody leaves', async () => {
  const { draft, bodies } = held()
  const [first, second] = [draft.hold(heldMs), draft.hold(heldMs)]
  draft.set({ name: 'One' })
  first()
  first()
  await vi.advanceTimersByTimeAsync(60_000)
  expect([bodies, draft.state().saving]).toEqual([[], 'unsaved'])
  second()
  await vi.advanceTimersByTimeAsync(1000)
  expect(bodies).toEqual([{ name: 'One' }])
  draft.hold(heldMs)
  draft.set({ name: 'Two' })
  await draft.flush()
  expect(bodies).toEqual([{ name: 'One' }, { name: 'Two' }])
})

test('what is saved before its author signs out is not offered to be undone any more', async () => {
  const { draft, bodies } = held()
  let isOffered = true
  const release = draft.hold(heldMs, () => {
    isOffered = false
    release()
  })
  draft.set({ name: 'Left' })
  await draft.finish()
  expect([bodies, isOffered]).toEqual([[{ name: 'Left' }], false])
})

test('what could not be saved before its author signs out can still be undone', async () => {
  const { draft } = held([busy])
  let isOffered = true
  draft.hold(heldMs, () => {
    isOffered = false
  })
  draft.set({ name: 'Left' })
  await draft.finish()
  expect([draft.state().saving, isOffered]).toEqual(['refused', true])
})

test('what somebody leaves while it can be undone is saved by itself where the server was busy or had changed', async () => {
  for (const fault of [busy, { code: 'version_conflict', statusCode: 409, message: 'Late.' }]) {
    const { draft, bodies, later } = held([fault])
    draft.hold(heldMs)
    draft.set({ name: 'Left' })
    later({ daily_limit: 7 })
    await draft.flush()
    await vi.advanceTimersByTimeAsync(2000)
    expect(bodies).toEqual([{ name: 'Left' }, { name: 'Left' }])
    expect(draft.state().saving).toBe('saved')
  }
})

test('what can be undone yet goes with no save that was under way, and is saved after its refusal', async () => {
  const answer = Promise.withResolvers<object>()
  const { draft, bodies } = held([answer.promise])
  draft.set({ name: 'One' })
  const saving = draft.flush()
  await vi.advanceTimersByTimeAsync(0)
  draft.set({ name: 'Two' })
  // Its time comes while the first is under way.
  await vi.advanceTimersByTimeAsync(1000)
  const release = draft.hold(heldMs)
  draft.set({ name: 'Three' })
  answer.resolve(busy)
  await saving
  await vi.advanceTimersByTimeAsync(60_000)
  expect(bodies).toEqual([{ name: 'One' }])
  release()
  await vi.advanceTimersByTimeAsync(1000)
  expect(bodies).toEqual([{ name: 'One' }, { name: 'Three' }])
  expect(draft.state().saving).toBe('saved')
})

test('a change that meets another’s is undone without a choice, and keeps what the other wrote', async () => {
  const { draft, later, bodies } = held()
  const base = draft.state().base.sequences
  const release = draft.hold(heldMs)
  draft.set({ name: 'Mine', sequences: [{ steps: [step('a', 'one')] }] })
  const theirs = [{ steps: [step('a', 'one'), step('b', 'theirs')] }]
  draft.adopt(later({ sequences: theirs }))
  expect(draft.state().saving).toBe('conflict')
  release()
  draft.undo((mine, saved) => {
    expect([mine.sequences[0]?.steps.length, saved.sequences]).toEqual([1, base])
    return { sequences: base }
  })
  expect(draft.state()).toMatchObject({ saving: 'unsaved', conflicts: [] })
  expect(draft.state().campaign).toMatchObject({ name: 'Mine', sequences: theirs })
  await vi.advanceTimersByTimeAsync(1000)
  expect(bodies).toEqual([{ name: 'Mine' }])
})

test('another tab takes over what can be undone in this one only once it cannot be any more', async () => {
  const { draft, parts } = held()
  draft.hold(heldMs)
  draft.set({ name: 'Held' })
  const nameInAnotherTab = () => new CampaignDraft(campaign(), parts).state().campaign.name
  expect(nameInAnotherTab()).toBe('Founders')
  // A tab that has crashed lets nothing go.
  vi.setSystemTime(heldMs)
  expect(nameInAnotherTab()).toBe('Held')

  const other = held()
  other.draft.hold(heldMs)
  other.draft.set({ name: 'Loaded again' })
  other.draft.releaseAll()
  expect(new CampaignDraft(campaign(), other.parts).state().campaign.name).toBe('Loaded again')
})

test('a removed step comes back as it was, or as a new one where the server has given up its id', () => {
  expect(stepBack(step('a', 'one'), campaign())).toEqual(step('a', 'one'))
  const back = stepBack(step('a', 'one'), campaign({ sequences: [] }))
  const body = toBody({ sequences: [{ steps: [back] }] }, campaign())
  expect(body.sequences?.[0]?.steps).toEqual([
    {
      ...{ type: 'email', delay: 0, delay_unit: 'days' },
      variants: [{ subject: 'Hello', body: 'one', v_disabled: false }],
    },
  ])
})
