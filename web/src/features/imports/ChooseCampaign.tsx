import { Box, Select } from '@mantine/core'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  createCampaignMutation,
  getCampaignOptions,
  listCampaignNamesQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { longest } from '../../lib/longest.ts'
import { useNotRead } from '../../lib/useNotRead.ts'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { useFirstDraft } from '../campaigns/index.ts'
import { useCampaigns } from '../leads/index.ts'

interface ChooseCampaignProps {
  value: string | null
  onChoose: (id: string) => void
}

/** What stands for the one that is not there yet; every other value is an id. */
const fresh = 'new'

/** Where the leads go: whoever has no campaign yet types the name of one. */
export function ChooseCampaign({ value, onChoose }: ChooseCampaignProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { campaigns, query, notRead } = useCampaigns()
  // The list ends somewhere, and it may have been chosen before others came.
  const isListed = value === null || notRead !== undefined || campaigns.has(value)
  const path = { id: value ?? '' }
  const unlisted = useQuery({ ...getCampaignOptions({ path }), enabled: !isListed })
  const notNamed = useNotRead(unlisted)
  const idempotencyKey = useIdempotencyKey()
  const firstDraft = useFirstDraft()
  const [typed, setTyped] = useState('')
  const create = useMutation({
    ...createCampaignMutation(),
    async onSuccess({ id }) {
      idempotencyKey.renew()
      await cache.invalidateQueries({ queryKey: listCampaignNamesQueryKey() })
      onChoose(id)
    },
  })
  const name = typed.trim()
  const choose = (chosen: string | null) => {
    if (chosen === fresh)
      create.mutate({ headers: idempotencyKey.headers(name), body: firstDraft(name) })
    else if (chosen) onChoose(chosen)
  }
  const known = [...campaigns].map(([id, label]) => ({ value: id, label }))
  if (!isListed && unlisted.data) known.push({ value: unlisted.data.id, label: unlisted.data.name })
  // One that is there already must not be made again.
  const isNew = notRead === undefined && name !== '' && !known.some(({ label }) => label === name)
  // Enter takes it; where others have the letters, too, whoever types says which one is meant.
  const isOnly = !known.some(({ label }) => label.toLowerCase().includes(name.toLowerCase()))
  return (
    <Box w="18rem" maw="100%">
      <QueryFault query={query} />
      <Select
        label={t(($) => $.imports.campaign)}
        placeholder={
          notRead ??
          (isListed
            ? t(($) => $.imports[known.length === 0 ? 'firstCampaign' : 'campaignHint'])
            : notNamed)
        }
        data={[
          ...known,
          ...(isNew ? [{ value: fresh, label: t(($) => $.imports.newCampaign, { name }) }] : []),
        ]}
        value={value}
        onChange={choose}
        onSearchChange={setTyped}
        nothingFoundMessage={notRead ?? t(($) => $.imports.firstCampaign)}
        error={create.error?.message}
        disabled={create.isPending}
        maxLength={longest.name}
        searchable
        selectFirstOptionOnChange={isOnly}
        allowDeselect={false}
      />
    </Box>
  )
}
