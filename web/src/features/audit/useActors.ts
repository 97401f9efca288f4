import { useQuery } from '@tanstack/react-query'
import {
  listAuditOptions,
  listMembersOptions,
  listServiceAccountKeysQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { listServiceAccountKeys } from '../../api/generated/sdk.gen.ts'
import { everyItem } from '../../lib/every-item.ts'
import { type AuditFilter, auditQueryOf, isSystemActor } from './search.ts'
import { useActorName } from './useActorName.ts'

/** Who can be chosen: the members and keys of now, and who is chosen already, who may be gone since. */
export function useActors({ by }: Pick<AuditFilter, 'by'>) {
  const nameOf = useActorName()
  const members = useQuery(listMembersOptions())
  const keys = useQuery({
    queryKey: [...listServiceAccountKeysQueryKey(), 'every'],
    queryFn: ({ signal }) => everyItem(listServiceAccountKeys, signal),
  })
  const people = members.data?.items ?? []
  const isListed = [...people, ...(keys.data ?? [])].some(({ id }) => id === by)
  const isOther = by !== undefined && !isSystemActor(by) && !isListed
  const entries = useQuery({
    ...listAuditOptions({ query: { limit: 1, ...auditQueryOf({ by }) } }),
    enabled: isOther && !members.isPending && !keys.isPending,
  })
  const [entry] = entries.data?.items ?? []
  const other = isOther ? { id: by, name: entry ? nameOf(entry) : by } : undefined
  return { people, keys: keys.data ?? [], other }
}
