import { useTranslation } from 'react-i18next'

/** Why a list is not there to choose from, in words; undefined once it is, and what is not in it is not there. */
export function useNotRead(query: { data?: unknown; error: { message: string } | null }) {
  const { t } = useTranslation()
  if (query.data !== undefined) return undefined
  return query.error?.message ?? t(($) => $.common.loading)
}
