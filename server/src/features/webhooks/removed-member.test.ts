import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestApi, testApi } from '../../../test/app.ts'
import { createMember } from '../../../test/people.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { operator } from '../audit/index.ts'
import { removeMember } from '../members/members.ts'
import { changeWebhook } from './change-webhook.ts'
import type { WebhookInput } from './schema.ts'
import { createWebhook, getWebhook, listWebhooks } from './webhooks.ts'

let api: TestApi
beforeAll(async () => {
  api = await testApi()
  api.ctx.lookup = async () => ['203.0.113.7']
})
afterAll(() => api[Symbol.asyncDispose]())

const input: WebhookInput = {
  ...{ target_hook_url: 'https://hooks.example.com/in', name: 'CRM' },
  event_type: 'lead.interested',
}
type By = Parameters<typeof createWebhook>[3]

/** Asks for it in the name of an admin who is being taken out, and whose removal commits only then. */
async function whileTakenOut(name: string, ask: (by: By) => Promise<unknown>) {
  const { id } = await createMember(api, `${name}@example.com`, 'admin')
  const [removed, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const removing = transaction(api.ctx, async (tx) => {
    await removeMember(tx, api.workspaceId, id, operator)
    removed.resolve()
    await mayCommit.promise
  })
  await removed.promise
  const asked = ask({ actor: { type: 'user', id }, requestId: 'request' })
  await Promise.race([asked.catch(() => undefined), api.ctx.database.untilWaiting()])
  mayCommit.resolve()
  await removing
  return asked
}

test('an admin who is taken out while their request is under way leaves no webhook behind', async () => {
  const making = whileTakenOut('eve', (by) => createWebhook(api.ctx, api.workspaceId, input, by))
  await expect(making).rejects.toMatchObject({ code: 'role_required' })
  const page = { limit: 1, startingAfter: undefined }
  expect((await listWebhooks(api.ctx, api.workspaceId, {}, page)).items).toEqual([])
})

test('nor do they lead one elsewhere', async () => {
  const { id } = await createWebhook(api.ctx, api.workspaceId, input, operator)
  const target_hook_url = 'https://elsewhere.example.com/in'
  const changing = whileTakenOut('ivy', (by) =>
    changeWebhook(api.ctx, api.workspaceId, id, { target_hook_url }, by),
  )
  await expect(changing).rejects.toMatchObject({ code: 'role_required' })
  expect(await getWebhook(api.ctx, api.workspaceId, id)).toMatchObject(input)
})
