import type { SuppressionList } from '../../api/generated/types.gen.ts'

/** An address or a domain that nobody writes to. */
export type Entry = SuppressionList['items'][number]

/** Nobody can lift it: what it stands for is an address that nobody knows any more. */
export const isErased = ({ value }: Entry) => value.startsWith('sha256:')
