import { expect, test } from 'vitest'
import type { Context } from '../../../kernel/context.ts'
import { type ImapConnectionSlot, ImapConnectionSlots } from './imap-connection-slots.ts'

/** Time stands still until the test lets it pass; it tells who got a slot, in that order. */
function slotsOf(max: number) {
  const clock = { ms: 0 }
  let pauses: (() => void)[] = []
  const pausesMs = new Set<number>()
  const warnings: object[] = []
  const ctx = {
    monotonicMs: () => clock.ms,
    sleep(ms: number) {
      pausesMs.add(ms)
      return new Promise<void>((resolve) => void pauses.push(resolve))
    },
    log: { warn: (fields: object) => void warnings.push(fields) },
  } as unknown as Context
  const slots = new ImapConnectionSlots(ctx, { max, perSecond: 50 })
  const got: string[] = []
  const held = new Map<string, ImapConnectionSlot>()
  const take = (mailbox: string, signal = new AbortController().signal) =>
    void slots.take(mailbox.slice(0, 1), signal).then((slot) => {
      if (!slot) return
      got.push(mailbox)
      held.set(mailbox, slot)
    })
  /** The pause after one connection is over. */
  const pause = async () => {
    const ended = pauses
    pauses = []
    for (const end of ended) end()
    await settled()
  }
  const settle = async () => {
    for (let i = 0; i < 10; i++) await pause()
  }
  const pass = async (ms: number) => {
    clock.ms += ms
    slots.review()
    for (const [mailbox, slot] of held) {
      if (!slot.isOver.aborted) continue
      held.delete(mailbox)
      slot[Symbol.dispose]()
      take(mailbox)
    }
    await settle()
  }
  return { slots, take, got, held, pause, settle, pass, pausesMs, warnings }
}

const settled = () => new Promise<void>((resolve) => void setImmediate(resolve))

test('connections are opened 50 a second, in turn by workspace, and no more than the maximum', async () => {
  const { slots, take, got, pause, settle, pausesMs } = slotsOf(4)
  for (const mailbox of ['a1', 'a2', 'a3', 'a4', 'b1']) take(mailbox)
  await settled()
  expect(got).toEqual(['a1'])
  await pause()
  expect(got).toEqual(['a1', 'a2'])
  await settle()
  expect(got).toEqual(['a1', 'a2', 'b1', 'a3'])
  expect([slots.open, slots.waiting]).toEqual([4, 1])
  expect(pausesMs).toEqual(new Set([20]))
})

test('with more mailboxes than connections each of them is read within ten minutes, and nobody waits unseen', async () => {
  const { got, take, settle, pass, warnings } = slotsOf(2)
  const mailboxes = Array.from({ length: 20 }, (_, n) => `a${n}`)
  for (const mailbox of mailboxes) take(mailbox)
  await settle()
  for (let round = 0; round < 3; round++) {
    got.length = 0
    for (let second = 0; second < 600; second++) await pass(1_000)
    expect(new Set(got)).toEqual(new Set(mailboxes))
  }
  expect(warnings).toEqual([{ waiting: 18, connections: 2 }])
})

test('while there are connections enough nobody gives one up', async () => {
  const { held, take, settle, pass } = slotsOf(2)
  take('a1')
  take('b1')
  await settle()
  await pass(86_400_000)
  expect([...held.keys()]).toEqual(['a1', 'b1'])
})

test('a mailbox that is no longer to be read gives its turn up', async () => {
  const { slots, take, got, held, settle } = slotsOf(1)
  const stopping = new AbortController()
  take('a1')
  take('a2', stopping.signal)
  take('a3')
  await settle()
  stopping.abort()
  held.get('a1')?.[Symbol.dispose]()
  await settle()
  expect(got).toEqual(['a1', 'a3'])
  expect(slots.waiting).toBe(0)
  expect(await slots.take('a', stopping.signal)).toBeNull()
})
