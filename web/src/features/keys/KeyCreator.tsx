import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  listAuditOptions,
  listMembersOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { ServiceAccountKey } from '../../api/generated/types.gen.ts'

/**
 * The name of whoever created a key, and whether they still belong to the workspace; of somebody who has
 * left it, and of another key, the audit log still knows the name.
 */
export function KeyCreator({ apiKey }: { apiKey: ServiceAccountKey }) {
  const { type, id } = apiKey.created_by
  const { t } = useTranslation()
  const members = useQuery(listMembersOptions())
  const member = members.data?.items.find((each) => each.id === id)
  // By the key, of which there are few entries, and not by the creator, who may have millions.
  const entries = useQuery({
    ...listAuditOptions({ query: { limit: 1, subject_id: apiKey.id, action: 'key.created' } }),
    enabled: id !== null && members.isSuccess && !member,
  })
  if (member) return member.name
  const known = entries.data?.items[0]?.actor_name
  if (known && type === 'user') return t(($) => $.keys.madeByFormer, { name: known })
  return known ?? (id === null || entries.isSuccess ? t(($) => $.audit.actors[type]) : null)
}
