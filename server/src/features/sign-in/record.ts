import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { askShardsUp } from '../../kernel/shards/ask.ts'
import { type Actor, recordAudit } from '../audit/index.ts'
import { listWorkspacesHere } from '../members/index.ts'

type PersonalAction =
  | 'user.signed_in'
  | 'user.reset_link_created'
  | 'user.reset_password'
  | 'user.changed_password'
  | 'user.turned_second_factor_on'
  | 'user.turned_second_factor_off'
  | 'user.renewed_backup_codes'

/**
 * In the audit log of every workspace that the person is a member of: each of them trusts this account.
 * A shard that is down keeps nobody from signing in: there it is missing.
 */
export async function recordForPerson(
  ctx: ProcessContext,
  userId: string,
  action: PersonalAction,
  actor: Actor = { type: 'user', id: userId },
): Promise<void> {
  await askShardsUp(ctx, (shard) =>
    transaction(shard, async (tx) => {
      for (const { id: workspaceId } of await listWorkspacesHere(tx, userId)) {
        await recordAudit(inWorkspace(tx, workspaceId), {
          ...{ workspaceId, actor, action, subjectType: 'user', subjectId: userId },
        })
      }
    }),
  )
}
