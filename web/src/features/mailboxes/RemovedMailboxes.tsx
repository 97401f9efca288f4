import { Select, Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { listRemovedMailboxesQueryKey } from '../../api/generated/@tanstack/react-query.gen.ts'
import { listRemovedMailboxes } from '../../api/generated/sdk.gen.ts'
import { everyItem } from '../../lib/every-item.ts'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { Section } from '../../ui/Section.tsx'
import { HandOver } from './HandOver.tsx'

/** Mailboxes that have no page any more, and conversations that wait for another one. */
export function RemovedMailboxes() {
  const { t } = useTranslation()
  const removed = useQuery({
    queryKey: [...listRemovedMailboxesQueryKey(), 'every'],
    queryFn: ({ signal }) => everyItem(listRemovedMailboxes, signal),
  })
  const [address, setAddress] = useState<string | null>(null)
  const { data = [], error } = removed
  if (data.length === 0 && !error) return null
  const chosen = data.find((mailbox) => mailbox.address === address)
  return (
    <Section
      title={t(($) => $.mailboxes.removed.section)}
      lead={t(($) => $.mailboxes.removed.lead)}
    >
      <QueryFault query={removed} />
      {data.length > 0 && (
        <Stack>
          <Select
            searchable
            label={t(($) => $.mailboxes.removed.from)}
            data={data.map((mailbox) => mailbox.address)}
            value={chosen ? address : null}
            onChange={setAddress}
          />
          {chosen && <HandOver key={chosen.id} mailbox={chosen} />}
        </Stack>
      )}
    </Section>
  )
}
