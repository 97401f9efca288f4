import { labelChoices } from './statuses.ts'
import { useOwnLabels } from './useOwnLabels.ts'

export function useLabelChoices() {
  const { settable, areRead, query } = useOwnLabels()
  return { ...labelChoices(areRead ? settable.map(({ value }) => value) : undefined), query }
}
