import { expect, test } from 'vitest'
import { RememberedMarks } from './remembered-marks.ts'

const mark = (id: string) => ({
  ...{ workspace_id: 'w', lead_id: 'l', step_id: 's', id, campaign_id: 'c', mailbox_id: 'm' },
  attempt: 1,
  timestamp_marked: new Date(0),
})

const idsAfter = (marked: RememberedMarks, epoch: number) =>
  marked.after(epoch)?.map(({ id }) => id)

/** Marks one, and looks. */
function look(marked: RememberedMarks, id: string, epoch: number) {
  marked.add(mark(id))
  marked.begin()
  marked.close(epoch)
}

test('a database that has come as far as a look has what was marked before it', () => {
  const marked = new RememberedMarks()
  look(marked, 'a', 5)
  look(marked, 'b', 6)
  marked.add(mark('c'))
  expect(idsAfter(marked, 4)).toEqual(['a', 'b', 'c'])
  expect(idsAfter(marked, 5)).toEqual(['b', 'c'])
  expect(idsAfter(marked, 6)).toEqual(['c'])
})

test('what is marked while a look is under way may not be what its commit comes after', () => {
  const marked = new RememberedMarks()
  marked.add(mark('before'))
  marked.begin()
  marked.add(mark('meanwhile'))
  marked.close(5)
  expect(idsAfter(marked, 5)).toEqual(['meanwhile'])
})

test('a look that failed tells nothing', () => {
  const marked = new RememberedMarks()
  marked.add(mark('a'))
  marked.begin()
  marked.begin()
  expect(idsAfter(marked, 100)).toEqual(['a'])
  marked.close(5)
  expect(idsAfter(marked, 5)).toEqual([])
})

test('a database that lacks more than is remembered cannot be asked', () => {
  const marked = new RememberedMarks()
  for (const epoch of [1, 2, 3, 4, 5, 6]) look(marked, `m${epoch}`, epoch)
  expect(idsAfter(marked, 2)).toEqual(['m3', 'm4', 'm5', 'm6'])
  expect(marked.after(1)).toBeUndefined()
})

test('what was certainly not sent is missed by nobody', () => {
  const marked = new RememberedMarks()
  look(marked, 'a', 1)
  look(marked, 'b', 2)
  marked.forget('a')
  expect(idsAfter(marked, 0)).toEqual(['b'])
})

test('a new primary is asked again by the next, which may have lagged behind both', () => {
  const marked = new RememberedMarks()
  look(marked, 'a', 7)
  marked.moveTo(6)
  expect(idsAfter(marked, 6)).toEqual(['a'])
  expect(marked.after(5)).toBeUndefined()
  marked.begin()
  marked.close(8)
  expect(idsAfter(marked, 8)).toEqual([])
})
