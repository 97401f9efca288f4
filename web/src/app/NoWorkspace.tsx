import { useTranslation } from 'react-i18next'
import { EmptyState } from '../ui/EmptyState.tsx'

/** Of somebody who was taken out of the last one. */
export function NoWorkspace() {
  const { t } = useTranslation()
  return (
    <EmptyState isPage title={t(($) => $.noWorkspace.title)} body={t(($) => $.noWorkspace.body)} />
  )
}
