import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { imapSettings, type Sending, testSending } from '../../../../test/sending.ts'
import { createSignal } from '../../../../test/signal.ts'
import { inWorkspace } from '../../../kernel/context.ts'
import { listen } from '../../../kernel/db/listen.ts'
import { transaction } from '../../../kernel/db/transaction.ts'
import { hintChannel, type ListenForHints } from '../../../kernel/runner/hint.ts'
import { operator } from '../../audit/index.ts'
import { MailboxOwner } from '../../mailbox-lanes/index.ts'
import {
  pauseMailbox,
  removeMailbox,
  reportMailboxRecovered,
  resumeMailbox,
  updateMailbox,
} from '../../mailboxes/index.ts'
import { startInboxRunner } from '../index.ts'

const address = 'anna@example.com'

let sending: Sending
let imapPort: number
const stops: (() => Promise<void>)[] = []
beforeEach(async () => {
  sending = await testSending({ hasReader: true })
  imapPort = await sending.startImap()
})
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  await sending[Symbol.asyncDispose]()
})

/** Loops sleep for seconds, and the lease of these tests lasts a day. */
const isRetry = (ms: number) => ms > 12_000 && ms < 3_600_000

const untilEnded = (signal?: AbortSignal) =>
  new Promise<void>((resolve) => {
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })

/** A runner that hears of a leader. Its loops go round and round, while its clock stands still. */
async function startReader(hints?: ListenForHints) {
  const { ctx } = sending
  let elapsedMs = 0
  const round = createSignal()
  let rounds = 0
  let isRetrying = false
  const own = {
    ...ctx,
    config: { ...ctx.config, leaseMs: 86_400_000 },
    monotonicMs: () => elapsedMs,
    sleep: (ms: number, signal?: AbortSignal) => {
      rounds += 1
      round.raise()
      if (isRetry(ms)) {
        isRetrying = true
        return untilEnded(signal)
      }
      return wait(10, undefined, signal ? { signal } : {}).catch(() => undefined)
    },
  }
  const owner = new MailboxOwner(own)
  await round.until(() => owner.buckets().length === 256)
  const reader = startInboxRunner(own, owner, {
    scope: () => 'none',
    ...(hints ? { listen: hints } : {}),
  })
  stops.push(async () => {
    await reader.stop()
    await owner.stop()
  })
  return {
    reads: (count: number) => round.until(() => reader.mailboxesRead() === count),
    read: reader.mailboxesRead,
    /** Resolves when it leaves a mailbox in trouble alone for a while. */
    retries: () => round.until(() => isRetrying),
    /** Resolves when each of its loops has gone round once more. */
    async goRound() {
      const before = rounds
      await round.until(() => rounds >= before + 12)
    },
    elapse: (ms: number) => {
      elapsedMs += ms
    },
  }
}

/** A reader that hears hints, before anything is told. */
async function startHinted() {
  const { ctx } = sending
  const listening = Promise.withResolvers<void>()
  const reader = await startReader(async (onHint) => {
    const unlisten = await listen(ctx.database.url, hintChannel, onHint, ctx.log)
    listening.resolve()
    return unlisten
  })
  await listening.promise
  await reader.goRound()
  return reader
}

test('a hint tells of a mailbox that was added, paused, resumed, moved or removed', async () => {
  const { ctx, workspaceId } = sending
  const reader = await startHinted()
  const { id } = await sending.createMailbox(address, imapSettings(imapPort, address))
  await reader.reads(1)
  await pauseMailbox(ctx, workspaceId, id, operator)
  await reader.reads(0)
  await resumeMailbox(ctx, workspaceId, id, operator)
  await reader.reads(1)
  await updateMailbox(ctx, workspaceId, id, imapSettings(imapPort, address), operator)
  const version = await versionOf(id)
  await ctx.database.until(async () => (await readVersion(id)) === version)
  await removeMailbox(ctx, workspaceId, id, operator)
  await reader.reads(0)
})

const recover = (id: string) =>
  transaction(inWorkspace(sending.ctx, sending.workspaceId), (tx) =>
    reportMailboxRecovered(tx, sending.workspaceId, id, 'imap'),
  )

test.each([
  ['resumed', (id: string) => resumeMailbox(sending.ctx, sending.workspaceId, id, operator)],
  ['found to work', recover],
])(
  'a mailbox that was %s is read at once, however long its reader meant to wait',
  async (_, mend) => {
    const reader = await startHinted()
    const { imap } = imapSettings(imapPort, address)
    const { id } = await sending.createMailbox(address, { imap: { ...imap, password: 'new' } })
    await reader.retries()
    expect(await readVersion(id)).toBeUndefined()
    sending.store.changePassword(address, 'new')
    await mend(id)
    await sending.ctx.database.until(async () => (await readVersion(id)) !== undefined)
  },
)

const versionOf = async (id: string) =>
  (
    await sending.ctx.database.peek
      .selectFrom('mailboxes')
      .select('imap_version')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  ).imap_version

/** Under which its inbox was read last. */
const readVersion = async (id: string) =>
  (
    await sending.ctx.database.peek
      .selectFrom('mailbox_folders')
      .select('imap_version')
      .where('mailbox_id', '=', id)
      .where('folder', '=', 'INBOX')
      .executeTakeFirst()
  )?.imap_version

test('what no hint told of is found within a minute, and nothing is asked for meanwhile', async () => {
  const { ctx, workspaceId } = sending
  const { id } = await sending.createMailbox(address, imapSettings(imapPort, address))
  const reader = await startReader()
  await reader.reads(1)
  // It looks once more, for buckets that it got meanwhile.
  await reader.goRound()
  await pauseMailbox(ctx, workspaceId, id, operator)
  reader.elapse(59_999)
  await reader.goRound()
  expect(reader.read()).toBe(1)
  reader.elapse(1)
  await reader.reads(0)
})
