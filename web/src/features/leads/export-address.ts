import type { Selection } from '../../lib/selection.ts'

/** As many ids as the address of a download takes. */
export const exportIdsMax = 324

/** Where a download of what is chosen lies; undefined: too many are named one by one. */
export function exportAddress(
  workspaceId: string,
  { isAll, ids }: Selection,
  query: Record<string, string>,
): string | undefined {
  if (ids.size > exportIdsMax) return undefined
  const chosen = isAll ? query : { ids: [...ids].join() }
  const left: Record<string, string> = isAll && ids.size > 0 ? { excluded: [...ids].join() } : {}
  return `/app/leads/export.csv?${new URLSearchParams({ workspace: workspaceId, ...chosen, ...left })}`
}
