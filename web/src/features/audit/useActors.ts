import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  listMembersOptions,
  listServiceAccountKeysQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { listServiceAccountKeys } from '../../api/generated/sdk.gen.ts'
import type { AuditEntry } from '../../api/generated/types.gen.ts'
import { everyItem } from '../../lib/every-item.ts'

type Actor = Pick<AuditEntry, 'actor_type' | 'actor_id'>

/** Who may have done it, and who did in words: the log keeps ids, and people and keys may be gone since. */
export function useActors() {
  const { t } = useTranslation()
  const members = useQuery(listMembersOptions())
  const keys = useQuery({
    queryKey: [...listServiceAccountKeysQueryKey(), 'every'],
    queryFn: ({ signal }) =>
      everyItem(async (query) => {
        const { data } = await listServiceAccountKeys({ query, signal, throwOnError: true })
        return data
      }),
  })
  const nameOf = ({ actor_type, actor_id }: Actor) => {
    if (actor_type === 'user') {
      const member = members.data?.items.find(({ id }) => id === actor_id)
      return member?.name ?? t(($) => $.audit.actors.user)
    }
    if (actor_type === 'key') {
      const key = keys.data?.find(({ id }) => id === actor_id)
      return key?.name ?? t(($) => $.audit.actors.key)
    }
    return actor_type === 'operator'
      ? t(($) => $.audit.actors.operator)
      : t(($) => $.audit.actors.service)
  }
  return { people: members.data?.items ?? [], keys: keys.data ?? [], nameOf }
}
