import { useTranslation } from 'react-i18next'
import { isKnownLabel } from './labels.ts'

/** A built-in status in words; a label that somebody made by its value. */
export function useLabelName(): (status: string) => string {
  const { t } = useTranslation()
  const known = t(($) => $.inbox.labels, { returnObjects: true })
  return (status) => (isKnownLabel(status, known) ? known[status] : status.replaceAll('_', ' '))
}
