import { inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { recordAudit } from '../audit/index.ts'
import { listWorkspacesOf } from '../members/index.ts'

type PersonalAction =
  | 'user.signed_in'
  | 'user.reset_password'
  | 'user.changed_password'
  | 'user.turned_second_factor_on'
  | 'user.turned_second_factor_off'

/** In the audit log of every workspace that the person is a member of: each of them trusts this account. */
export async function recordForPerson(
  ctx: ProcessContext,
  userId: string,
  action: PersonalAction,
): Promise<void> {
  await transaction(ctx, async (tx) => {
    for (const { id: workspaceId } of await listWorkspacesOf(tx, userId)) {
      await recordAudit(inWorkspace(tx, workspaceId), {
        ...{ workspaceId, actor: { type: 'user', id: userId }, action },
        ...{ subjectType: 'user', subjectId: userId },
      })
    }
  })
}
