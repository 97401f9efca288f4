import { Button, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { FlaskConical } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { createTryOutMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { longest } from '../../lib/longest.ts'
import { FaultNotice } from '../../ui/FaultNotice.tsx'
import type { WebhookForm } from './webhook-form.ts'

/** Where events go; who has no receiver yet is given one to try. */
export function TargetField({ form }: { form: WebhookForm }) {
  const { t } = useTranslation()
  const make = useMutation({
    ...createTryOutMutation(),
    onSuccess({ url }) {
      form.setFieldValue('target_hook_url', url)
      if (form.getValues().name === '') {
        form.setFieldValue(
          'name',
          t(($) => $.webhooks.form.tryOutName),
        )
      }
    },
  })
  return (
    <Stack gap="xs">
      <TextInput
        {...form.getInputProps('target_hook_url')}
        type="url"
        label={t(($) => $.webhooks.form.target)}
        description={t(($) => $.webhooks.form.targetHint)}
        placeholder="https://crm.example.com/hooks/outreach"
        maxLength={longest.url}
        withAsterisk
      />
      <Button
        variant="subtle"
        size="compact-sm"
        w="fit-content"
        leftSection={<FlaskConical size="0.875rem" aria-hidden />}
        loading={make.isPending}
        onClick={() => make.mutate({})}
      >
        {t(($) => $.webhooks.form.tryOut)}
      </Button>
      {make.isError && <FaultNotice fault={make.error} />}
    </Stack>
  )
}
