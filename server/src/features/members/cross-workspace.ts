import { preparedForAll } from '../../kernel/db/prepared.ts'
import type { Role } from '../../kernel/http/access.ts'
import { type PlanSwitches, planSwitches } from '../workspaces/plan/index.ts'

export interface OwnWorkspace extends PlanSwitches {
  id: string
  name: string
  handle: string
  role: Role
}

/** Where a person is a member, or was when the workspace left this database. */
export const listMembershipsOf = preparedForAll<[string], { workspace_id: string }>(
  'list_memberships_of',
  `/* cross-workspace: what the person may do anywhere */
   select workspace_id from memberships where user_id = $1`,
)

/** Where a person is a member: it is asked before a workspace is chosen. */
export const listWorkspacesOf = preparedForAll<[string], OwnWorkspace>(
  'list_workspaces_of',
  `/* cross-workspace: the person chooses one */
   select w.id, w.name, w.handle, m.role, ${planSwitches}
   from memberships m
   join workspaces w on w.id = m.workspace_id
   where m.user_id = $1 and w.moved_to is null
   order by w.name`,
  { pipelined: true },
)
