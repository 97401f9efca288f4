import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { listCampaignsOptions } from '../../api/generated/@tanstack/react-query.gen.ts'
import { HeaderFields } from './HeaderFields.tsx'
import { TargetField } from './TargetField.tsx'
import { useEventNames } from './useEventNames.ts'
import type { WebhookForm } from './webhook-form.ts'

/** All that a webhook is told, when it is made and when it is changed. */
export function WebhookFields({ form }: { form: WebhookForm }) {
  const { t } = useTranslation()
  const { types } = useEventNames()
  const campaigns = useQuery(listCampaignsOptions({ query: { limit: 100 } }))
  const { campaign, event_type } = form.getValues()
  const listed = campaigns.data?.items ?? []
  // One that is older than those that are listed stays chosen.
  const missing = campaign !== '' && !listed.some(({ id }) => id === campaign)
  return (
    <>
      <TextInput
        {...form.getInputProps('name')}
        label={t(($) => $.webhooks.form.name)}
        placeholder={t(($) => $.webhooks.form.namePlaceholder)}
        maxLength={255}
        data-autofocus
        withAsterisk
      />
      <TargetField form={form} />
      <NativeSelect
        {...form.getInputProps('event_type')}
        label={t(($) => $.webhooks.form.event)}
        data={
          types.length === 0 ? [event_type] : types.map(({ id, label }) => ({ value: id, label }))
        }
      />
      <NativeSelect
        {...form.getInputProps('campaign')}
        label={t(($) => $.webhooks.form.campaign)}
        data={[
          { value: '', label: t(($) => $.webhooks.form.everyCampaign) },
          ...(missing ? [campaign] : []),
          ...listed.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
      <HeaderFields form={form} />
    </>
  )
}
