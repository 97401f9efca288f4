import type { Import } from '../../api/generated/types.gen.ts'

export type Outcome = NonNullable<Import['result']>

/** Of whatever reason. */
export const skippedOf = ({ skipped }: Outcome): number =>
  Object.values(skipped).reduce((sum, count) => sum + count, 0)

export const isUnderWay = (state: Import['state']) => state === 'checking' || state === 'running'
