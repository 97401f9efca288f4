import type { Search } from '../../lib/search.ts'

interface LabelsSearch {
  /** `new`, or the id of the label that is edited. */
  panel?: string | undefined
}

export const labelsSearchOf = ({ panel }: Search): LabelsSearch => ({
  panel: typeof panel === 'string' ? panel : undefined,
})
