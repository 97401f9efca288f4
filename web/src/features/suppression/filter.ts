export const kinds = ['address', 'domain'] as const
export const reasons = ['unsubscribed', 'bounced', 'blocked'] as const

/** Which entries are shown, as it stands in the address. */
export interface SuppressionFilter {
  search?: string | undefined
  kind?: (typeof kinds)[number] | undefined
  reason?: (typeof reasons)[number] | undefined
}

/** Of whatever somebody has in their address bar. */
export const suppressionFilterOf = ({
  search,
  kind,
  reason,
}: Record<string, unknown>): SuppressionFilter => ({
  search:
    search === undefined || search === '' ? undefined : String(search).slice(0, 320).toWellFormed(),
  kind: kinds.find((each) => each === kind),
  reason: reasons.find((each) => each === reason),
})
