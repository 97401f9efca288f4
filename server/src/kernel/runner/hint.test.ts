import { expect, test } from 'vitest'
import { testContext } from '../../../test/context.ts'
import { createSignal } from '../../../test/signal.ts'
import { listen } from '../db/listen.ts'
import { hintChannel, hintDue, isHintFor } from './hint.ts'

test('a hint is for the owners of its buckets, and one without buckets for everybody', async () => {
  await using ctx = await testContext()
  const heard: string[] = []
  const hinted = createSignal()
  const unlisten = await listen(
    ctx.database.url,
    hintChannel,
    (hint) => {
      heard.push(hint)
      hinted.raise()
    },
    ctx.log,
  )
  hintDue(ctx, { kind: 'deliveries', buckets: [0, 9, 255] })
  const hint = await hinted.until(() => heard[0])
  const owners = (buckets: number[]) => isHintFor(hint, 'deliveries', buckets)
  expect([[0], [9], [255], [1, 2, 255]].map(owners)).toEqual([true, true, true, true])
  expect([[], [1], [8, 10, 254]].map(owners)).toEqual([false, false, false])
  expect(isHintFor(hint, 'mailboxes', [0, 9, 255])).toBe(false)

  // While hints are held back, those of one kind are merged, and one for everybody stands for all.
  hintDue(ctx, { kind: 'deliveries', buckets: [3] })
  hintDue(ctx, { kind: 'deliveries', buckets: [4] })
  const merged = await hinted.until(() => heard[1])
  expect(isHintFor(merged, 'deliveries', [3]) && isHintFor(merged, 'deliveries', [4])).toBe(true)
  hintDue(ctx, { kind: 'deliveries', buckets: [5] })
  hintDue(ctx)
  expect(await hinted.until(() => heard[2] === '' && heard)).toHaveLength(3)
  expect(isHintFor('', 'mailboxes', [])).toBe(true)
  await unlisten()
})
