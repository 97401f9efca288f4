import { expect, test } from 'vitest'
import type { ProcessContext } from '../../../kernel/context.ts'
import { Lane } from './lane.ts'
import { MailboxSlots } from './mailbox-slots.ts'

/** Time stands still until the test lets it pass. */
function slotsOf() {
  const clock = { ms: 0 }
  const slots = new MailboxSlots({ monotonicMs: () => clock.ms } as unknown as ProcessContext)
  let mailboxes = 0
  const add = (workspaceId: string, count: number) => {
    for (let n = 0; n < count; n++) {
      mailboxes += 1
      const mailboxId = `00000000-0000-7000-8000-${String(mailboxes).padStart(12, '0')}`
      slots.add(new Lane(workspaceId, mailboxId, '1'))
    }
  }
  /** Takes all that may be looked after. @returns how many of each workspace */
  const take = () => {
    const taken: Record<string, number> = {}
    for (let lane = slots.take(); lane; lane = slots.take()) {
      taken[lane.workspaceId] = (taken[lane.workspaceId] ?? 0) + 1
    }
    return taken
  }
  const pass = (ms: number) => {
    clock.ms += ms
    slots.review()
  }
  return { add, take, pass }
}

test('untried mailboxes of one workspace take half of the slots, and others have the rest', () => {
  const { add, take } = slotsOf()
  add('many', 300)
  expect(take()).toEqual({ many: 128 })
  add('few', 10)
  expect(take()).toEqual({ few: 10 })
})

test('mailboxes that hang for five seconds make room for those that wait', () => {
  const { add, take, pass } = slotsOf()
  add('many', 300)
  expect(take()).toEqual({ many: 128 })
  pass(4_999)
  expect(take()).toEqual({})
  pass(1)
  expect(take()).toEqual({ many: 128 })
})
