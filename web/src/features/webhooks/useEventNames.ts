import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { listWebhookEventTypesOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useNotRead } from '../../lib/useNotRead.ts'
import { useOwnLabels } from '../labels/index.ts'

/**
 * Event types in plain words, as the catalogue has them, and those of labels that it lists no more:
 * what was sent for them is kept. What nobody knows stays as it is.
 */
export function useEventNames() {
  const query = useQuery({ ...listWebhookEventTypesOptions(), staleTime: 300_000 })
  const { data } = query
  const labels = useOwnLabels().all
  const known = useMemo(() => {
    const types = data?.items ?? []
    const names = new Map([
      ...types.map(({ id, label }): [string, string] => [id, label]),
      ...labels.map(({ id, name }): [string, string] => [`lead.label.${id}`, name]),
    ])
    return { types, names, nameOf: (type: string) => names.get(type) ?? type }
  }, [data, labels])
  return { ...known, query, notRead: useNotRead(query) }
}
