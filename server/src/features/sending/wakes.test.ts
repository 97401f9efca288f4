import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { type Sending, testSending } from '../../../test/sending.ts'

let sending: Sending
afterEach(() => sending[Symbol.asyncDispose]())

test('a refused address wakes no mailbox but its own', async () => {
  sending = await testSending({
    smtp: {
      onRcptTo({ address }, _session, done) {
        const refusal = Object.assign(new Error('5.1.1 No such user'), { responseCode: 550 })
        done(address.startsWith('gone') ? refusal : null)
      },
    },
  })
  const { peek } = sending.ctx.database
  const mailboxes = []
  for (const name of ['anna', 'bert', 'carl', 'dora']) {
    mailboxes.push(await sending.createMailbox(`${name}@example.com`))
  }
  const campaign = await sending.createCampaign(mailboxes)
  await sending.addLeads(campaign.id, ['gone@lead.example'])
  await sql`create table woken (mailbox_id uuid)`.execute(peek)
  await sql`create function tell_woken() returns trigger language plpgsql as
    $$ begin insert into woken values (new.mailbox_id); return null; end $$`.execute(peek)
  await sql`create trigger woken after update on mailbox_lanes for each row
    when (new.seq > old.seq) execute function tell_woken()`.execute(peek)
  await sending.startRunner()
  const [entry] = await sending.waitForLedger((all) => all.some(({ state }) => state === 'failed'))
  await sending.untilAsleep()
  const { rows } = await sql<{ mailbox_id: string }>`select mailbox_id from woken`.execute(peek)
  expect(rows).toEqual([{ mailbox_id: entry?.mailbox_id }])
})
