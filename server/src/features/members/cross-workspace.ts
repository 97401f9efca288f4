import { preparedForAll } from '../../kernel/db/prepared.ts'
import type { Role } from '../../kernel/http/access.ts'

export interface OwnWorkspace {
  id: string
  name: string
  handle: string
  role: Role
  plan_api: boolean
  plan_webhooks: boolean
  plan_acquisition: boolean
}

/** Where a person is a member: it is asked before a workspace is chosen. */
export const listWorkspacesOf = preparedForAll<[string], OwnWorkspace>(
  'list_workspaces_of',
  `/* cross-workspace: the person chooses one */
   select w.id, w.name, w.handle, m.role, w.plan_api, w.plan_webhooks, w.plan_acquisition
   from memberships m
   join workspaces w on w.id = m.workspace_id
   where m.user_id = $1 and w.moved_to is null
   order by w.name`,
  { pipelined: true },
)
