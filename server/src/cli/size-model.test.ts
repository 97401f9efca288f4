import { expect, test } from 'vitest'
import {
  assumptions,
  type Capacity,
  type Load,
  reckon,
  unitBytes,
  unitCosts,
} from './size-model.ts'

const nothing: Load = {
  ...{ mailsPerDay: 0, deliveries: 0, changes: 0, leads: 0, mailboxes: 0 },
  ...{ attemptDays: 30, messageDays: 365 },
}
const some: Load = {
  ...{ mailsPerDay: 100_000, deliveries: 200, changes: 50, leads: 1_000_000, mailboxes: 1000 },
  ...{ attemptDays: 30, messageDays: 365 },
}
const names = Object.keys(some) as (keyof Load)[]
const scaled = (load: Load, name: keyof Load, factor: number) => ({
  ...load,
  [name]: load[name] * factor,
})

/** Everything that is provided, as numbers. */
const amounts = ({ cores, connections, memory, disk, processes }: Capacity) => [
  ...[cores.node, cores.postgres, memory.node, memory.postgres, connections],
  ...[disk.total, processes.apis, processes.runners],
]

test.each(names)('more %s never need less of anything', (name) => {
  let before = amounts(reckon(scaled(some, name, 0.001)))
  for (const factor of [0.1, 1, 3, 10, 30, 100, 1000]) {
    const after = amounts(reckon(scaled(some, name, factor)))
    for (const [at, amount] of after.entries())
      expect(amount).toBeGreaterThanOrEqual(before[at] ?? 0)
    before = after
  }
})

test('twice the load is twice the work and twice the disk', () => {
  const twice = { ...some }
  for (const name of ['mailsPerDay', 'deliveries', 'changes', 'leads'] as const) twice[name] *= 2
  const [one, two] = [reckon(some), reckon(twice)]
  for (const kind of ['mails', 'deliveries', 'changes'] as const) {
    expect(two.busy[kind].node).toBeCloseTo(2 * one.busy[kind].node, 9)
    expect(two.busy[kind].postgres).toBeCloseTo(2 * one.busy[kind].postgres, 9)
  }
  expect(two.disk.total).toBeCloseTo(2 * one.disk.total, 3)
})

test('the work is the unit costs times the load, in the hours of sending', () => {
  const { busy, mailsPerSecond, disk } = reckon({ ...some, mailsPerDay: 288_000 })
  expect(mailsPerSecond).toBe(10)
  expect(busy.mails.node).toBeCloseTo((10 * unitCosts.mail.node) / 1e6, 9)
  expect(busy.deliveries.postgres).toBeCloseTo((200 * unitCosts.delivery.postgres) / 1e6, 9)
  expect(disk.leads).toBe(1_000_000 * unitBytes.lead)
  const attempts = 200 * assumptions.averageShare * 86_400 * 30
  expect(disk.attempts).toBeCloseTo(attempts * unitBytes.attempt, 0)
})

test('a small team needs one process and nothing beside it', () => {
  const { processes, pooled, needs } = reckon(nothing)
  expect(processes).toEqual({ together: true, apis: 1, runners: 1 })
  expect({ pooled, needs }).toEqual({
    pooled: undefined,
    needs: { ownPostgres: false, standby: false, shards: 1 },
  })
})

test.each<[string, Partial<Load>, (capacity: Capacity) => unknown]>([
  ['more processes', { deliveries: 8000 }, ({ processes }) => !processes.together],
  ['more processes', { changes: 1000 }, ({ processes }) => !processes.together],
  ['a PostgreSQL of its own', { deliveries: 12_000 }, ({ needs }) => needs.ownPostgres],
  [
    'a standby, which a team of two machines misses',
    { changes: 1500 },
    ({ needs }) => needs.standby,
  ],
  ['a standby, where a backup is long put back', { leads: 5e8 }, ({ needs }) => needs.standby],
  ['a pooler', { deliveries: 70_000 }, ({ pooled }) => pooled],
  ['more databases', { deliveries: 40_000 }, ({ needs }) => needs.shards > 1],
  ['more databases', { mailsPerDay: 9e6 }, ({ needs }) => needs.shards > 1],
])('%s for %o, and not for a hundredth of it', (_what, load, isNeeded) => {
  const hundredth = Object.entries(load).map(([name, amount]) => [name, amount / 100])
  expect(Boolean(isNeeded(reckon({ ...nothing, ...load })))).toBe(true)
  expect(Boolean(isNeeded(reckon({ ...nothing, ...Object.fromEntries(hundredth) })))).toBe(false)
})

test('more mailboxes than one runner reads are shared by several', () => {
  const { processes } = reckon({ ...nothing, mailboxes: assumptions.mailboxesPerRunner * 3 + 1 })
  expect(processes).toEqual({ together: false, apis: 1, runners: 4 })
})
