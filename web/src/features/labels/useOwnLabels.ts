import { useQuery } from '@tanstack/react-query'
import { listLabelsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Label } from '../../api/generated/types.gen.ts'

const none: Label[] = []

/** The labels that people of this workspace made, the oldest first. Leads keep archived ones. */
export function useOwnLabels() {
  const query = useQuery(listLabelsOptions({ query: { archived: true } }))
  const { data } = query
  const all = data?.items ?? none
  return {
    all,
    query,
    areRead: data !== undefined,
    settable: all.filter(({ timestamp_archived }) => timestamp_archived === null).toReversed(),
    /** @param value as it is the status of a lead */
    find: (value: string): Label | undefined => all.find((label) => label.value === value),
  }
}
