import { oneOf, type Search, textOf } from '../../lib/search.ts'

export const kinds = ['address', 'domain'] as const
export const reasons = ['unsubscribed', 'bounced', 'blocked'] as const

/** Which entries are shown, as it stands in the address. */
export interface SuppressionFilter {
  search?: string | undefined
  kind?: (typeof kinds)[number] | undefined
  reason?: (typeof reasons)[number] | undefined
}

export const suppressionSearchOf = ({ search, kind, reason }: Search): SuppressionFilter => ({
  search: textOf(search, 320),
  kind: oneOf(kinds, kind),
  reason: oneOf(reasons, reason),
})

interface SuppressionSearch extends SuppressionFilter {
  panel?: 'add' | 'import' | undefined
}

export const suppressionPageSearchOf = (search: Search): SuppressionSearch => ({
  ...suppressionSearchOf(search),
  panel: oneOf(['add', 'import'], search.panel),
})
