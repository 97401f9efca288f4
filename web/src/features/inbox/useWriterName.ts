import { useQuery } from '@tanstack/react-query'
import { listMembersOptions } from '../../api/generated/@tanstack/react-query.gen.ts'

/** Of the person of ours who wrote a mail; undefined: a campaign did, or they are no member any more. */
export function useWriterName(id: string | null): string | undefined {
  const members = useQuery({ ...listMembersOptions(), enabled: id !== null })
  return members.data?.items.find((member) => member.id === id)?.name
}
