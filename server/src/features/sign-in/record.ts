import type { FastifyRequest } from 'fastify'
import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { movingOf } from '../../kernel/db/failure.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { askShardsUp } from '../../kernel/shards/ask.ts'
import { type ChangedBy, changedByPerson, recordAudit } from '../audit/index.ts'
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
 * What people do to their own account.
 *
 * @param ctx with the transaction of the change, where that is ours
 */
export const recordOwn = (
  req: FastifyRequest,
  userId: string,
  action: PersonalAction,
  ctx = req.process,
) => recordForPerson(ctx, userId, action, changedByPerson(userId, req.id))

/**
 * In the audit log of every workspace that the person is a member of: each of them trusts this account.
 * A shard that is down keeps nobody from signing in, nor does a workspace that is being moved: there it
 * is missing. In the transaction of the change, whose shard takes the entries with it or nothing at all,
 * this holds for the other shards alone.
 */
export async function recordForPerson(
  ctx: ProcessContext,
  userId: string,
  action: PersonalAction,
  by: ChangedBy,
): Promise<void> {
  const { isTransaction } = ctx.db
  const record = async (shard: ProcessContext) => {
    for (const { id: workspaceId } of await listWorkspacesHere(shard, userId)) {
      const entry = { workspaceId, ...by, action, subjectType: 'user', subjectId: userId }
      await transaction(inWorkspace(shard, workspaceId), (tx) => recordAudit(tx, entry)).catch(
        (error) => {
          // An open transaction has failed with it.
          if (!movingOf(error) || shard.db.isTransaction) throw error
          const details = { workspace: workspaceId, user: userId, action }
          shard.log.warn(details, 'what a person did is not in the audit log of a moving workspace')
        },
      )
    }
  }
  if (isTransaction) await record(ctx)
  await askShardsUp(ctx, async (shard) => {
    if (!isTransaction || shard.shard !== ctx.shard) await record(shard)
  })
}
