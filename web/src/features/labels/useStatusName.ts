import { useTranslation } from 'react-i18next'
import { isBuiltin } from './statuses.ts'
import { useOwnLabels } from './useOwnLabels.ts'

/** A built-in status in words; a label that somebody made by its name. */
export function useStatusName(): (status: string) => string {
  const { t } = useTranslation()
  const { find } = useOwnLabels()
  return (status) =>
    isBuiltin(status)
      ? t(($) => $.labels.statuses[status])
      : (find(status)?.name ?? withSpaces(status))
}

/** The labels are not there yet. */
export const withSpaces = (value: string) => value.replaceAll('_', ' ')
