import { expect, test } from 'vitest'
import { commandDatabase, json, run } from '../../test/commands.ts'
import { readConfig } from '../config.ts'
import { operator } from '../features/audit/index.ts'
import { createCampaign } from '../features/campaigns/campaigns.ts'
import { recordRefusedCopies } from '../features/campaigns/index.ts'
import { addLeads } from '../features/leads/index.ts'
import { addMailbox } from '../features/mailboxes/index.ts'
import type { CampaignForecast } from '../features/sending/index.ts'
import { getWorkspace } from '../features/workspaces/index.ts'
import { inWorkspace } from '../kernel/context.ts'
import { createLog } from '../kernel/log.ts'
import { openOperator } from '../process/open.ts'
import { showForecast } from './forecast-table.ts'

commandDatabase()

async function makeCampaign(address = 'sender@example.com'): Promise<string> {
  await using opened = await openOperator(readConfig(), { log: createLog('silent') })
  const { id: workspaceId } = await getWorkspace(opened.ctx, 'default')
  const ctx = inWorkspace(opened.ctx, workspaceId)
  const server = { host: 'mail.example.com', username: address, password: 'secret' }
  await addMailbox(ctx, workspaceId, { address, smtp: server, imap: server }, operator)
  const variants = [{ subject: 'Hi', body: '<p>Hi</p>' }]
  const campaign = await createCampaign(ctx, workspaceId, {
    name: 'Founders',
    email_list: [address],
    sequences: [{ steps: [{ variants }] }],
  })
  await addLeads(ctx, workspaceId, {
    campaign_id: campaign.id,
    leads: [{ email: 'ann@example.com' }, { email: 'bob@example.com' }],
    skip_if_in_workspace: false,
    overwrite: false,
  })
  return campaign.id
}

test('campaigns are listed, and what one would send is shown', async () => {
  const id = await makeCampaign()
  const { items } = await json('campaigns', 'list')
  expect(items).toMatchObject([{ id, name: 'Founders', sending_status: { reason: 'draft' } }])
  expect((await run('campaigns', 'list')).stdout).toMatch(/Founders\s+draft\s+draft\s+2\s+2/)

  const forecast = await json('campaigns', 'forecast', id, '--days', '30')
  expect(forecast).toMatchObject({ sends: 2, ends: 'all_sent', days: expect.any(Array) })
  const { code, stdout } = await run('campaigns', 'forecast', id)
  expect(code).toBe(0)
  expect(stdout).toContain('Founders: 2 mails until ')
  expect(stdout).toContain('Its status is draft: this is what it would send if it were active now.')
  expect(stdout).toMatch(
    /DAY\s+MAILS\s+FIRST MAILS\s+FOLLOW-UPS\s+sender@example.com\s+LIMITED BY/i,
  )
})

test('copies that a mail server refused are told below the list, with what to do', async () => {
  const id = await makeCampaign('other@example.com')
  await using opened = await openOperator(readConfig(), { log: createLog('silent') })
  const { id: workspaceId } = await getWorkspace(opened.ctx, 'default')
  const refused = (address: string) => ({
    ...{ campaign_id: id, address },
    ...{ code: '550 5.1.1', message: 'No such user' },
  })
  await recordRefusedCopies(inWorkspace(opened.ctx, workspaceId), workspaceId, [
    ...[refused('boss@example.com'), refused('peer@example.com'), refused('peer@example.com')],
  ])
  const { stdout } = await run('campaigns', 'list')
  for (const [address, mails] of [
    ['boss@example.com', '1 mail'],
    ['peer@example.com', '2 mails'],
  ]) {
    expect(stdout).toContain(
      `The copies of campaign ${id} to ${address} are refused (550 5.1.1 No such user): ${mails} went out without it. Take it off cc_list or bcc_list, or mend the address.`,
    )
  }
  const { refused_copies } = await json('campaigns', 'list')
  expect(refused_copies.map(({ mails }: { mails: number }) => mails)).toEqual([1, 2])
})

test.each([
  [['campaigns', 'forecast'], 2],
  [['campaigns', 'forecast', 'x'], 2],
  [['campaigns', 'forecast', '00000000-0000-7000-8000-000000000001'], 1],
  [['campaigns', 'forecast', '00000000-0000-7000-8000-000000000001', '--days', '0'], 2],
])('%j ends with %i', async (args, code) => {
  expect((await run(...args)).code).toBe(code)
})

test('the calendar puts days without mail together, and says what is in the way', () => {
  const day = (
    date: string,
    sends: number,
    limited_by: CampaignForecast['days'][number]['limited_by'],
  ) => ({
    date,
    sends,
    new_leads: Math.min(sends, 3),
    mailboxes: sends > 0 ? [{ mailbox_id: 'm1', sends }] : [],
    limited_by,
  })
  const forecast: CampaignForecast = {
    campaign: { id: 'c', name: 'Founders', status: 'active' },
    timezone: 'Europe/Berlin',
    mailboxes: [
      { id: 'm1', address: 'a@example.com', status: 'connected', shared_with: 2 },
      { id: 'm2', address: 'b@example.com', status: 'error', shared_with: 0 },
    ],
    days: [
      day('2026-11-27', 5, 'campaign_daily_limit'),
      day('2026-11-28', 0, 'outside_schedule'),
      day('2026-11-29', 0, 'outside_schedule'),
      day('2026-11-30', 1, null),
    ],
    sends: 6,
    last_send_at: new Date('2026-11-30T09:00:00Z'),
    ends: 'schedule_ended',
    recipients: 2000,
    unsent: 1234,
    held: [{ reason: 'lead_paused', leads: 1 }],
  }
  expect(showForecast(forecast)).toBe(
    `Founders: 6 mails until 2026-11-30 (Europe/Berlin), when its schedule ends; 1,234 mails would not be sent.
No mail to 1 lead: paused.
Nothing from b@example.com: error.
It may take longer: other active campaigns send from a@example.com as well.

DAY                       MAILS  FIRST MAILS  FOLLOW-UPS  A@EXAMPLE.COM  LIMITED BY
2026-11-27                5      3            2           5              daily limit of the campaign
2026-11-28 to 2026-11-29  -      -            -           -              no window
2026-11-30                1      1            0           1              all is sent`,
  )
})

test('a campaign with nothing to send says so', () => {
  const empty: CampaignForecast = {
    campaign: { id: 'c', name: 'Founders', status: 'active' },
    timezone: 'UTC',
    mailboxes: [],
    days: [],
    sends: 0,
    last_send_at: null,
    ends: 'all_sent',
    recipients: 0,
    unsent: 0,
    held: [{ reason: 'mailboxes_unhealthy', leads: 2 }],
  }
  expect(showForecast(empty)).toBe(
    'Founders has nothing to send.\nNo mail to 2 leads: no mailbox of the campaign is connected.',
  )
})
