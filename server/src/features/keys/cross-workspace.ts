import { preparedForAll } from '../../kernel/db/prepared.ts'
import { type PlanSwitches, planSwitches } from '../workspaces/plan/index.ts'

export interface Authority extends PlanSwitches {
  hash: Buffer
  workspace_id: string
  key_id: string
  scopes: string[]
  timestamp_last_used: Date | null
  timestamp_expires: Date | null
  timestamp_revoked: Date | null
  plan_rate: number
  leadbank_scope_required: boolean
  /** The shard to which its workspace has gone; null: it is here. */
  moved_to: string | null
}

const authority = `/* cross-workspace: the key tells the workspace */
   select h.hash, k.workspace_id, k.id as key_id, k.scopes, k.timestamp_last_used,
     k.timestamp_expires, k.timestamp_revoked, ${planSwitches},
     w.plan_rate, w.leadbank_scope_required, w.moved_to
   from key_hashes h
   join service_accounts k on k.workspace_id = h.workspace_id and k.id = h.key_id
   join workspaces w on w.id = h.workspace_id`

/** Key, plan and workspace of a secret in one read: there is no cache to invalidate. */
export const findAuthority = preparedForAll<[Buffer], Authority>(
  'find_authority',
  `${authority} where h.hash = $1`,
  { pipelined: true },
)

/** The authorities of several secrets at once. */
export const findAuthorities = preparedForAll<[Buffer[]], Authority>(
  'find_authorities',
  `${authority} where h.hash = any($1::bytea[])`,
  { pipelined: true },
)
