import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  getLeadOverviewOptions,
  listLeadsOptions,
} from '../../../api/generated/@tanstack/react-query.gen.ts'
import { longest } from '../../../lib/longest.ts'
import { fullName } from '../../../lib/text.ts'

interface PickLeadProps {
  campaignId: string
  lead: string | undefined
  onPick: (id: string) => void
}

/** Whose mails are looked at: the newest leads, or those that are searched for. */
export function PickLead({ campaignId, lead, onPick }: PickLeadProps) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const [wanted] = useDebouncedValue(search, 250)
  const isName = !wanted.includes(' · ')
  const text = isName ? wanted.trim() : ''
  const query = { campaign_id: campaignId, limit: 20, ...(text ? { search: text } : {}) }
  const leads = useQuery({ ...listLeadsOptions({ query }), placeholderData: (before) => before })
  const found = leads.data?.items ?? []
  // Whoever a link names may be none of those.
  const isAway = lead !== undefined && leads.isFetched && !found.some(({ id }) => id === lead)
  const named = useQuery({
    ...getLeadOverviewOptions({ path: { id: lead ?? '' } }),
    enabled: isAway,
  })
  const shown = isAway && text === '' && named.data ? [...found, named.data.lead] : found
  const options = shown.map((each) => ({
    value: each.id,
    label: [each.email, fullName(each)].filter(Boolean).join(' · '),
  }))
  return (
    <Select
      label={t(($) => $.campaigns.preview.lead)}
      placeholder={t(($) => $.campaigns.preview.search)}
      w="16rem"
      maw="100%"
      searchable
      maxLength={longest.search}
      allowDeselect={false}
      // The server has searched already, in more than what is shown.
      filter={({ options: all }) => all}
      nothingFoundMessage={
        leads.error?.message ?? (leads.isFetched ? t(($) => $.campaigns.preview.noLead) : undefined)
      }
      data={options}
      value={lead ?? null}
      onSearchChange={setSearch}
      onChange={(id) => id && onPick(id)}
    />
  )
}
