import type { Selection } from '../../lib/selection.ts'

/** Where a download of what is chosen lies. */
export function exportAddress(
  workspaceId: string,
  { isAll, ids }: Selection,
  query: Record<string, string>,
): string {
  const chosen = isAll ? query : { ids: [...ids].join() }
  const left: Record<string, string> = isAll && ids.size > 0 ? { excluded: [...ids].join() } : {}
  return `/app/leads/export.csv?${new URLSearchParams({ workspace: workspaceId, ...chosen, ...left })}`
}
