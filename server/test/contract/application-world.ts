import type { TestApi } from '../app.ts'
import { join, type Person } from '../people.ts'
import { createWorld, type World } from './world.ts'

/** The same records by the paths of the application, and those that only it has. */
export async function createApplicationWorld(
  api: TestApi,
  owner: { workspaceId: string; key: string },
  targetUrl: string,
  member: Person,
): Promise<World> {
  const world = await createWorld(api, owner, targetUrl)
  await join(api, world.workspaceId, member, 'viewer')
  const ids = Object.entries(world.ids).map(([path, id]) => [`/app${path}`, id])
  return {
    ...world,
    ids: {
      ...Object.fromEntries(ids),
      '/app/members': member.id,
      '/app/keys': world.ids['/oauth/service-accounts'] ?? '',
    },
  }
}
