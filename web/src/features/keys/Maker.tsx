import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  listAuditOptions,
  listMembersOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { ServiceAccountKey } from '../../api/generated/types.gen.ts'

interface MakerProps {
  by: ServiceAccountKey['created_by']
}

/** Who made a key, by name; of who is gone since, the audit log still knows it. */
export function Maker({ by: { type, id } }: MakerProps) {
  const { t } = useTranslation()
  const members = useQuery(listMembersOptions())
  const member = members.data?.items.find((each) => each.id === id)
  const entries = useQuery({
    ...listAuditOptions({ query: { limit: 1, ...(id === null ? {} : { actor_id: id }) } }),
    enabled: id !== null && members.isSuccess && !member,
  })
  const known = member?.name ?? entries.data?.items[0]?.actor_name
  return known ?? (id === null || entries.isSuccess ? t(($) => $.audit.actors[type]) : null)
}
