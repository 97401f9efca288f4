import { expect, test } from 'vitest'
import { commandDatabase, json, queryUnchecked, run } from '../../test/commands.ts'
import { readConfig } from '../config.ts'
import { operator } from '../features/audit/index.ts'
import { createCampaign } from '../features/campaigns/campaigns.ts'
import { addLeads } from '../features/leads/index.ts'
import { addMailbox } from '../features/mailboxes/index.ts'
import { getWorkspace } from '../features/workspaces/index.ts'
import { inWorkspace } from '../kernel/context.ts'
import { createLog } from '../kernel/log.ts'
import { openOperator } from '../process/open.ts'

const database = commandDatabase()

/** @returns ids of two mailboxes, in the thread of the first of which a lead is */
async function makeConversation() {
  await using opened = await openOperator(readConfig(), { log: createLog('silent') })
  const { id: workspaceId } = await getWorkspace(opened.ctx, 'default')
  const ctx = inWorkspace(opened.ctx, workspaceId)
  const add = (address: string) => {
    const server = { host: 'mail.example.com', username: address, password: 'secret' }
    return addMailbox(ctx, workspaceId, { address, smtp: server, imap: server }, operator)
  }
  const [anna, bert] = [await add('anna@example.com'), await add('bert@example.com')]
  const { id } = await createCampaign(ctx, workspaceId, { name: 'F', email_list: [anna.address] })
  await addLeads(ctx, workspaceId, {
    ...{ campaign_id: id, skip_if_in_workspace: false, overwrite: false },
    leads: [{ email: 'ann@lead.example' }],
  })
  await queryUnchecked(database(), `update leads set mailbox_id = $1, sending_state = 'active'`, [
    anna.id,
  ])
  return { anna, bert }
}

test('what waits for a removed mailbox is told, counted, and handed over when it is asked for', async () => {
  const { anna, bert } = await makeConversation()
  const removed = await run('mailboxes', 'remove', anna.id)
  expect(removed.stdout).toMatch(/^\S+ +F +1$/m)
  expect(removed.stdout).toContain('campaigns hand-over --from anna@example.com')

  const command = ['campaigns', 'hand-over', '--from', anna.address, '--to', bert.address]
  const counted = await run(...command)
  expect(counted.stdout).toContain('1 lead waits for a follow-up from anna@example.com.')
  expect(counted.stdout).toContain('anna@example.com is not read and never was')
  expect(counted.stdout).toContain('Nothing was changed; --yes does it.')
  expect(await json(...command, '--yes')).toMatchObject({ moved: 1, left: 0 })
  expect((await run(...command)).stdout).toContain('0 leads wait')
})
