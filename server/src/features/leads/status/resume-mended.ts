import type { Context } from '../../../kernel/context.ts'
import { hasFailedTemplate, type LockedLead } from '../record.ts'
import { setStatuses } from './set-statuses.ts'

/**
 * Locked leads go on whose mail could not be made, since what it is made of was changed. Where it still cannot
 * be made they are held back again; whom a person has paused stays so.
 *
 * @returns those that go on, as they are now
 */
export async function resumeMended(tx: Context, workspaceId: string, leads: LockedLead[]) {
  const mended = leads.filter(hasFailedTemplate)
  if (mended.length === 0) return []
  const active = { kind: 'builtin', status: 'active' } as const
  const { changed } = await setStatuses(tx, workspaceId, active, mended)
  return changed.map(({ now }) => now)
}
