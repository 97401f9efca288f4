import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { askShardsUp } from '../../kernel/shards/ask.ts'
import { recordAudit } from '../audit/index.ts'
import { listWorkspacesHere } from '../members/index.ts'

type PersonalAction =
  | 'user.signed_in'
  | 'user.reset_password'
  | 'user.changed_password'
  | 'user.turned_second_factor_on'
  | 'user.turned_second_factor_off'

/**
 * In the audit log of every workspace that the person is a member of: each of them trusts this account.
 * A shard that is down keeps nobody from signing in: there it is missing.
 */
export async function recordForPerson(
  ctx: ProcessContext,
  userId: string,
  action: PersonalAction,
): Promise<void> {
  await askShardsUp(ctx, (shard) =>
    transaction(shard, async (tx) => {
      for (const { id: workspaceId } of await listWorkspacesHere(tx, userId)) {
        await recordAudit(inWorkspace(tx, workspaceId), {
          ...{ workspaceId, actor: { type: 'user', id: userId }, action },
          ...{ subjectType: 'user', subjectId: userId },
        })
      }
    }),
  )
}
