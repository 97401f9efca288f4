import { expect, test } from 'vitest'
import { createMailbox } from '../../test/campaigns.ts'
import { commandDatabase, json, queryUnchecked, run } from '../../test/commands.ts'
import { readMail } from '../../test/mails.ts'
import { readConfig } from '../config.ts'
import { createCampaign } from '../features/campaigns/campaigns.ts'
import { addLeads } from '../features/leads/index.ts'
import { getWorkspace } from '../features/workspaces/index.ts'
import { inWorkspace } from '../kernel/context.ts'
import { createLog } from '../kernel/log.ts'
import { openOperator } from '../process/open.ts'

const database = commandDatabase()

const email = 'zoë@x.example'

/** A draft with two leads. */
async function createDraft(): Promise<{ id: string }> {
  await using opened = await openOperator(readConfig(), { log: createLog('silent') })
  const { id: workspaceId } = await getWorkspace(opened.ctx, 'default')
  const ctx = inWorkspace(opened.ctx, workspaceId)
  const mailbox = await createMailbox(ctx, workspaceId, 'ada@x.example')
  const variants = [{ subject: 'Hi {{first_name}}', body: '<p>Hi {{first_name}}</p>' }]
  const steps = [{ variants }, { delay: 1, variants: [{ body: '<b>Again</b>' }] }]
  const campaign = await createCampaign(ctx, workspaceId, {
    ...{ name: 'draft', email_list: [mailbox.address] },
    sequences: [{ steps }],
  })
  const leads = [{ email, first_name: 'Zoë\u001b[2J' }, { email: 'nobody@x.example' }]
  await addLeads(ctx, workspaceId, {
    ...{ campaign_id: campaign.id, leads },
    ...{ skip_if_in_workspace: false, overwrite: false },
  })
  return campaign
}

test('a mail is shown before it is sent: to read, as JSON, and as it goes over the wire', async () => {
  const { id } = await createDraft()
  const shown = await run('campaigns', 'preview', id, '--lead', email)
  expect(shown).toMatchObject({ code: 0, stderr: '' })
  expect(shown.stdout).toMatch(/^subject +Hi Zoë/m)
  expect(shown.stdout).toContain('\n\nHi Zoë�[2J\n')
  expect(shown.stdout).not.toContain('\u001b')

  const preview = await json('campaigns', 'preview', id, '--lead', email, '--step', '2')
  expect(preview).toMatchObject({
    ...{ step: 2, variant: 1, mailbox: 'ada@x.example', from: 'ada@x.example' },
    ...{ recipients: [email], text: 'Again', html: '<b>Again</b>', needs_smtputf8: true },
  })
  expect(preview.subject).toMatch(/^Re: Hi Zoë/)

  const { stdout } = await run('campaigns', 'preview', id, '--lead', email, '--source')
  const { postal } = await readMail({ bytes: Buffer.from(stdout) })
  expect(postal.to).toMatchObject([{ address: email }])

  await queryUnchecked(database(), `update leads set sending_state = 'paused' where email = $1`, [
    email,
  ])
  const paused = await run('campaigns', 'preview', id, '--lead', email)
  expect(paused.stdout).toContain('\nNothing is sent to this lead for now: it is paused.\n')

  const skipped = await run('campaigns', 'preview', id, '--lead', 'nobody@x.example')
  expect(skipped).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'Step 1 is not sent to this lead. The lead has no first_name, and the template gives no default.\n',
  })
})
