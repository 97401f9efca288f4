import { useTranslation } from 'react-i18next'
import { useOwnLabels } from '../labels/index.ts'
import { isKnownLabel } from './labels.ts'

/** A built-in status in words; a label that somebody made by its name. */
export function useLabelName(): (status: string) => string {
  const { t } = useTranslation()
  const { find } = useOwnLabels()
  const known = t(($) => $.inbox.labels, { returnObjects: true })
  return (status) =>
    isKnownLabel(status, known) ? known[status] : (find(status)?.name ?? withSpaces(status))
}

/** The labels are not there yet. */
const withSpaces = (value: string) => value.replaceAll('_', ' ')
