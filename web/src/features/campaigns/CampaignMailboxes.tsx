import { MultiSelect, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { useMailboxes } from '../mailboxes/index.ts'
import { ToMailboxes } from './ToMailboxes.tsx'
import { useDraft } from './useDraft.ts'

/** Which mailboxes it sends from; those that are gone stay in the list until somebody takes them out. */
export function CampaignMailboxes() {
  const { t } = useTranslation()
  const { campaign, set, mayChange, problemAt } = useDraft()
  const { mailboxes: known, query, notRead } = useMailboxes()
  const gone = campaign.email_list.filter(
    (address) => !known.some((mailbox) => mailbox.address === address),
  )
  // What could not be read is not gone for that.
  const removed = query.isSuccess ? gone : []
  const broken = known.filter(
    ({ address, status }) => status !== 'connected' && campaign.email_list.includes(address),
  )
  return (
    <>
      <QueryFault query={query} />
      <MultiSelect
        label={t(($) => $.campaigns.options.fields.email_list.label)}
        description={t(($) => $.campaigns.options.fields.email_list.hint)}
        error={problemAt('/email_list')}
        searchable
        hidePickedOptions
        nothingFoundMessage={notRead ?? t(($) => $.campaigns.options.noneLeft)}
        placeholder={campaign.email_list.length === 0 ? t(($) => $.campaigns.options.choose) : ''}
        readOnly={!mayChange}
        value={campaign.email_list}
        data={[
          ...known.map(({ address }) => ({ value: address, label: address })),
          ...gone.map((address) => ({
            value: address,
            label: query.isSuccess ? t(($) => $.campaigns.options.gone, { address }) : address,
          })),
        ]}
        onChange={(email_list) => set({ email_list })}
      />
      {removed.map((address) => (
        <Text key={address} size="xs" c="var(--amber-text)" mt={4}>
          {t(($) => $.campaigns.options.goneHow, { address })} <ToMailboxes />
        </Text>
      ))}
      {broken.map(({ address, status }) => (
        <Text key={address} size="xs" c="var(--amber-text)" mt={4}>
          {t(($) => $.campaigns.options.broken, { address, status })}
        </Text>
      ))}
    </>
  )
}
