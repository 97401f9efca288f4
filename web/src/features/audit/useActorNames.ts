import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  listMembersOptions,
  listServiceAccountKeysOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { AuditEntry } from '../../api/generated/types.gen.ts'

/** Who did it, in words: the log keeps ids, and people and keys may be gone since. */
export function useActorNames(): (entry: AuditEntry) => string {
  const { t } = useTranslation()
  const members = useQuery(listMembersOptions())
  const keys = useQuery(listServiceAccountKeysOptions({ query: { limit: 100 } }))
  return ({ actor_type, actor_id }) => {
    if (actor_type === 'user') {
      const member = members.data?.items.find(({ id }) => id === actor_id)
      return member?.name ?? t(($) => $.audit.actors.user)
    }
    if (actor_type === 'key') {
      const key = keys.data?.items.find(({ id }) => id === actor_id)
      return key?.name ?? t(($) => $.audit.actors.key)
    }
    return actor_type === 'operator'
      ? t(($) => $.audit.actors.operator)
      : t(($) => $.audit.actors.service)
  }
}
