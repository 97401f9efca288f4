import { listMailboxes } from '../../src/features/mailboxes/index.ts'
import { addMember, createInvitation } from '../../src/features/members/index.ts'
import { createUser } from '../../src/features/users/index.ts'
import type { TestApi } from '../app.ts'
import { createWorld, type World } from './world.ts'

const operator = { type: 'operator', id: null } as const

/** The same records by the paths of the application, and those that only it has. */
export async function createApplicationWorld(
  api: TestApi,
  owner: { workspaceId: string; key: string },
  targetUrl: string,
): Promise<World> {
  const world = await createWorld(api, owner, targetUrl)
  const { workspaceId } = world
  const userId = await createUser(api.ctx, {
    ...{ name: 'Member', email: `${api.ctx.newId()}@member.example`, passwordHash: 'none' },
  })
  await addMember(api.ctx, { workspaceId, userId, role: 'viewer' }, operator)
  const invited = { email: 'invited@member.example', role: 'viewer' } as const
  const invitation = await createInvitation(api.ctx, invited, { workspaceId, actor: operator })
  const { items: mailboxes } = await listMailboxes(api.ctx, workspaceId, {
    ...{ limit: 1, startingAfter: undefined },
  })
  const mailboxId = mailboxes[0]?.id ?? ''
  const keyId = world.ids['/oauth/service-accounts'] ?? ''
  const shared = Object.entries(world.ids).map(([path, id]) => [`/app${path}`, id])
  return {
    ...world,
    ids: {
      ...Object.fromEntries(shared),
      ...{ '/app/members': userId, '/app/invitations': invitation.id, '/app/keys': keyId },
      ...{ '/app/mailboxes': mailboxId },
      ...{ '/app/workspaces': workspaceId, '/app/profile/sessions': api.ctx.newId() },
      ...{ '/app/invitations/accept': 'token', '/app/password-reset': 'token' },
    },
    references: {
      ...world.references,
      ...{ actor_id: userId, subject_id: keyId, mailbox_id: mailboxId },
    },
    values: { ...world.values, address: 'bert@example.com' },
  }
}
