import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../api/generated/client.gen.ts'

interface PickLeadProps {
  campaignId: string
  lead: string | undefined
  onPick: (id: string) => void
}

interface Found {
  id: string
  email: string
  first_name: string | null
  last_name: string | null
}

const leadsQuery = (campaign_id: string, search: string) =>
  queryOptions({
    queryKey: ['leads to preview', campaign_id, search],
    queryFn: async ({ signal }) => {
      const query = { campaign_id, limit: 20, ...(search ? { search } : {}) }
      const { data } = await client.get({ url: '/app/leads', query, signal, throwOnError: true })
      return (data as { items: Found[] }).items
    },
    placeholderData: (before) => before,
  })

/** Whose mails are looked at: the newest leads, or those that are searched for. */
export function PickLead({ campaignId, lead, onPick }: PickLeadProps) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const [wanted] = useDebouncedValue(search, 250)
  const isName = !wanted.includes(' · ')
  const leads = useQuery(leadsQuery(campaignId, isName ? wanted.trim() : ''))
  const options = (leads.data ?? []).map(({ id, email, first_name, last_name }) => ({
    value: id,
    label: [email, [first_name, last_name].filter(Boolean).join(' ')].filter(Boolean).join(' · '),
  }))
  return (
    <Select
      label={t(($) => $.campaigns.preview.lead)}
      placeholder={t(($) => $.campaigns.preview.search)}
      w="16rem"
      maw="100%"
      searchable
      allowDeselect={false}
      // The server has searched already, in more than what is shown.
      filter={({ options: found }) => found}
      nothingFoundMessage={leads.isFetched ? t(($) => $.campaigns.preview.noLead) : undefined}
      data={options}
      value={lead ?? null}
      onSearchChange={setSearch}
      onChange={(id) => id && onPick(id)}
    />
  )
}
