import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { listWebhookEventTypesOptions } from '../../api/generated/@tanstack/react-query.gen.ts'

/** Event types in plain words, as the catalogue has them; what it does not know stays as it is. */
export function useEventNames() {
  const types = useQuery({ ...listWebhookEventTypesOptions(), staleTime: 300_000 })
  const items = types.data?.items
  const nameOf = useCallback(
    (type: string) => items?.find(({ id }) => id === type)?.label ?? type,
    [items],
  )
  return { types: items ?? [], nameOf }
}
