import { type AnyContext, type Context, inWorkspace } from '../../../kernel/context.ts'

/** Works on the rows of one workspace after the other, in the order in which everybody locks theirs. */
export async function inEachWorkspace<Row>(
  tx: AnyContext,
  rows: Row[],
  workspaceOf: (row: Row) => string,
  work: (own: Context, workspaceId: string, rows: Row[]) => Promise<unknown>,
) {
  const byWorkspace = Map.groupBy(rows, workspaceOf)
  for (const workspaceId of [...byWorkspace.keys()].sort()) {
    await work(inWorkspace(tx, workspaceId), workspaceId, byWorkspace.get(workspaceId) ?? [])
  }
}
