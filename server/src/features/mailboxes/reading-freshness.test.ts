import { expect, test } from 'vitest'
import { testSending } from '../../../test/sending.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { reportInboxRead } from './index.ts'

test('a reading wakes who may have found the one before too old, also while it was under way, or forgotten', async () => {
  await using sending = await testSending()
  const { ctx, workspaceId } = sending
  const { peek } = ctx.database
  const { id } = await sending.createMailbox('anna@example.com')
  const ago = (minutes: number) => new Date(ctx.now().getTime() - minutes * 60_000)
  const isWokenBy = async (before: Date | null, at: Date, last: Date | null = before) => {
    await peek.updateTable('mailbox_lanes').set({ wake_at: null }).execute()
    const mailbox = await peek
      .updateTable('mailboxes')
      .set({ inbox_read_at: before })
      .returning('imap_version')
      .executeTakeFirstOrThrow()
    await transaction(ctx, (tx) => reportInboxRead(tx, workspaceId, id, { ...mailbox, at, last }))
    const lane = await peek.selectFrom('mailbox_lanes').select('wake_at').executeTakeFirstOrThrow()
    return lane.wake_at !== null
  }
  expect(await isWokenBy(null, ago(0), ago(5))).toBe(true)
  expect(await isWokenBy(ago(16), ago(0))).toBe(true)
  expect(await isWokenBy(ago(16), ago(11))).toBe(true)
  expect(await isWokenBy(ago(6), ago(1))).toBe(false)
  // The first on a connection.
  expect(await isWokenBy(ago(6), ago(1), null)).toBe(true)
  // A standby that lacks the last reading took over: who started after the one before waits.
  expect(await isWokenBy(ago(9), ago(1), ago(6))).toBe(true)
})
