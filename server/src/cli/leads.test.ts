import { expect, test } from 'vitest'
import { commandDatabase, json, run } from '../../test/commands.ts'

commandDatabase()

test('who erases a person has to confirm it, and is told what is kept and why', async () => {
  await json('workspaces', 'list')
  const unsure = await run('leads', 'erase', 'ada@lead.example')
  expect(unsure).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('--yes') })
  const { code, stdout } = await run('leads', 'erase', 'ada@lead.example', '--yes')
  expect(code).toBe(0)
  const [, kept] = stdout.split('Kept:\n')
  expect(kept?.trim().split('\n')).toEqual([
    expect.stringMatching(/^- the SHA-256 hash of the address, .*from being added again$/),
    expect.stringMatching(/^- the rows of the leads without the person: counters and the ledger/),
    '- attempts and counters of deliveries, without address and payload',
    '- charges in the ledger of credits, which name no person',
    expect.stringMatching(/^- backups that were made before, and what receivers of webhooks/),
  ])
})
