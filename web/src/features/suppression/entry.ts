import type { SuppressionList } from '../../api/generated/types.gen.ts'

/** An address or a domain that nobody writes to. */
export type Entry = SuppressionList['items'][number]
