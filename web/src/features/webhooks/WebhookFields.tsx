import { NativeSelect, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { longest } from '../../lib/longest.ts'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { useCampaigns } from '../leads/index.ts'
import { HeaderFields } from './HeaderFields.tsx'
import { TargetField } from './TargetField.tsx'
import { useEventNames } from './useEventNames.ts'
import type { WebhookForm } from './webhook-form.ts'

/** All that a webhook is told, when it is made and when it is changed. */
export function WebhookFields({ form }: { form: WebhookForm }) {
  const { t } = useTranslation()
  const { types, query: typesQuery, notRead: notReadTypes } = useEventNames()
  const { campaigns, query, notRead } = useCampaigns()
  const { campaign, event_type } = form.getValues()
  // Until it is read, and after it was deleted, it stays chosen.
  const missing = campaign !== '' && !campaigns.has(campaign)
  return (
    <>
      <TextInput
        {...form.getInputProps('name')}
        label={t(($) => $.webhooks.form.name)}
        placeholder={t(($) => $.webhooks.form.namePlaceholder)}
        maxLength={longest.name}
        data-autofocus
        withAsterisk
      />
      <TargetField form={form} />
      <QueryFault query={typesQuery} />
      <NativeSelect
        {...form.getInputProps('event_type')}
        label={t(($) => $.webhooks.form.event)}
        description={!typesQuery.error && notReadTypes}
        data={
          types.length === 0 ? [event_type] : types.map(({ id, label }) => ({ value: id, label }))
        }
      />
      <QueryFault query={query} />
      <NativeSelect
        {...form.getInputProps('campaign')}
        label={t(($) => $.webhooks.form.campaign)}
        description={!query.error && notRead}
        data={[
          { value: '', label: t(($) => $.webhooks.form.everyCampaign) },
          ...(missing ? [campaign] : []),
          ...[...campaigns].map(([value, label]) => ({ value, label })),
        ]}
      />
      <HeaderFields form={form} />
    </>
  )
}
