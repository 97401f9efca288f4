import { NativeSelect, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useCampaigns } from '../leads/index.ts'
import { HeaderFields } from './HeaderFields.tsx'
import { TargetField } from './TargetField.tsx'
import { useEventNames } from './useEventNames.ts'
import type { WebhookForm } from './webhook-form.ts'

/** All that a webhook is told, when it is made and when it is changed. */
export function WebhookFields({ form }: { form: WebhookForm }) {
  const { t } = useTranslation()
  const { types, notRead: notReadTypes } = useEventNames()
  const { campaigns, notRead } = useCampaigns()
  const { campaign, event_type } = form.getValues()
  // Until it is read, and after it was deleted, it stays chosen.
  const missing = campaign !== '' && !campaigns.has(campaign)
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
        description={notReadTypes}
        data={
          types.length === 0 ? [event_type] : types.map(({ id, label }) => ({ value: id, label }))
        }
      />
      <NativeSelect
        {...form.getInputProps('campaign')}
        label={t(($) => $.webhooks.form.campaign)}
        description={notRead}
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
