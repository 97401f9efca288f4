import { expect, test } from 'vitest'
import { testContext } from '../../../test/context.ts'
import { createSignal } from '../../../test/signal.ts'
import { listen } from '../db/listen.ts'
import { hintChannel, hintDue, type LaneName, readHint } from './hint.ts'
import { allBuckets, bucketOf } from './leases.ts'

const isHintFor = (hint: string, kind: string, buckets: number[]) =>
  readHint(hint, kind, buckets)?.isToLook === true

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

test('a hint names the lanes to their owners, and so many that they would not fit by their buckets', async () => {
  await using ctx = await testContext()
  const heard: string[] = []
  const hinted = createSignal()
  const hear = (hint: string) => {
    heard.push(hint)
    hinted.raise()
  }
  const unlisten = await listen(ctx.database.url, hintChannel, hear, ctx.log)
  const workspaceId = ctx.newId()
  const named = (count: number) =>
    Array.from({ length: count }, () => ({ workspaceId, id: ctx.newId() }))
  const [first, second] = named(2) as [LaneName, LaneName]
  hintDue(ctx, { kind: 'deliveries', lanes: [first, second, first] })
  const hint = await hinted.until(() => heard[0])
  const all = { isToLook: false, lanes: [first, second] }
  expect(readHint(hint, 'deliveries', allBuckets)).toEqual(all)
  const own = allBuckets.filter((bucket) => bucket !== bucketOf(first.id))
  expect(readHint(hint, 'deliveries', own)?.lanes).toEqual(
    bucketOf(first.id) === bucketOf(second.id) ? undefined : [second],
  )
  expect(readHint(hint, 'mailboxes', allBuckets)).toBeUndefined()

  const many = named(4000)
  hintDue(ctx, { kind: 'deliveries', lanes: many })
  await hinted.until(() => heard.length === 21)
  const hints = heard.slice(1).map((text) => readHint(text, 'deliveries', allBuckets))
  const lanes = hints.flatMap((each) => each?.lanes ?? [])
  expect(lanes).toEqual(many.slice(0, lanes.length))
  const rest = new Set(many.slice(lanes.length).map(({ id }) => bucketOf(id)))
  expect(rest.size).toBeGreaterThan(0)
  for (const bucket of rest) {
    expect(heard.some((text) => isHintFor(text, 'deliveries', [bucket]))).toBe(true)
  }
  await unlisten()
})
