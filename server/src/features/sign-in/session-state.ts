import type { ProcessContext } from '../../kernel/context.ts'
import { listWorkspacesOf } from '../members/index.ts'
import { isSetUp, type Session } from '../users/index.ts'
import type { SessionState } from './schema.ts'

/** What the application has to know before it shows a page. */
export async function describeSession(
  ctx: ProcessContext,
  session: Session | null,
): Promise<SessionState> {
  const user = session?.user ?? null
  return {
    user,
    workspaces: user ? await listWorkspacesOf(ctx, user.id) : [],
    is_set_up: user ? true : await isSetUp(ctx),
    oidc_name: ctx.config.oidc?.name ?? null,
  }
}
