import { afterEach, beforeEach, expect, test } from 'vitest'
import { alwaysOpen, imapSettings, type Sending, testSending } from '../../../test/sending.ts'
import { createSignal } from '../../../test/signal.ts'
import { startTcpServer, type TcpServer } from '../../../test/tcp-server.ts'
import { operator } from '../audit/index.ts'
import { createCampaign } from '../campaigns/campaigns.ts'
import { updateCampaign } from '../campaigns/update-campaign.ts'
import { addLeads } from '../leads/index.ts'
import { addMailbox } from '../mailboxes/index.ts'
import { createWorkspace } from '../workspaces/index.ts'

/** More than a process looks after at once while none of them has sent a mail. */
const hangingOnes = 300

let sending: Sending
let hanging: TcpServer
const arrival = createSignal()
beforeEach(async () => {
  sending = await testSending()
  hanging = await startTcpServer(() => arrival.raise())
})
afterEach(async () => {
  await sending[Symbol.asyncDispose]()
  await hanging[Symbol.asyncDispose]()
})

/** A workspace whose mailboxes are at the server that accepts connections and never says a word. */
async function hangingWorkspace(mailboxes: number) {
  const { ctx } = sending
  const { id: workspaceId } = await createWorkspace(ctx, 'hanging')
  const email_list: string[] = []
  for (let n = 0; n < mailboxes; n++) {
    const address = `sender${n}@hanging.example`
    const { imap } = imapSettings(1, address)
    const smtp = { ...imap, port: hanging.port }
    email_list.push((await addMailbox(ctx, workspaceId, { address, smtp, imap }, operator)).address)
  }
  const { id } = await createCampaign(ctx, workspaceId, {
    ...{ name: 'hanging', campaign_schedule: alwaysOpen, email_list },
    sequences: [{ steps: [{ variants: [{ subject: 'Hello', body: '<p>Hi</p>' }] }] }],
  })
  await updateCampaign(ctx, workspaceId, id, { status: 'active' })
  const leads = email_list.map((_, n) => ({ email: `lead${n}@company.example` }))
  await addLeads(ctx, workspaceId, {
    ...{ campaign_id: id, leads, skip_if_in_workspace: false, overwrite: false },
  })
}

test('mailboxes whose server hangs keep none of another workspace from sending', async () => {
  await hangingWorkspace(hangingOnes)
  await sending.startRunner()
  await arrival.until(() => hanging.connections >= 128)
  const mailbox = await sending.createMailbox('anna@example.com')
  const campaign = await sending.createCampaign([mailbox])
  await sending.addLeads(campaign.id, ['a@lead.example'])
  await sending.waitForMails(1)
  expect(hanging.sockets.size).toBe(hanging.connections)
})
