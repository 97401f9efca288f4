import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { updateWebhookMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Webhook } from '../../api/generated/types.gen.ts'
import { useFormFault, useTheirChanges } from '../../lib/form.ts'
import { Form } from '../../ui/Form.tsx'
import { FormButtons } from '../../ui/FormButtons.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { readWebhookAgain } from './read-webhook-again.ts'
import { useEventNames } from './useEventNames.ts'
import { useWebhookForm } from './useWebhookForm.ts'
import { WebhookFields } from './WebhookFields.tsx'
import { valuesOf, webhookChangeOf } from './webhook-form.ts'

export function EditWebhook({ webhook, onDone }: { webhook: Webhook; onDone: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { types } = useEventNames()
  const form = useWebhookForm(valuesOf(webhook))
  const { fault, handlers } = useFormFault(form)
  useTheirChanges(form, valuesOf(webhook))
  const save = useMutation({
    ...updateWebhookMutation(),
    ...handlers,
    async onSuccess() {
      await readWebhookAgain(cache)
      notifications.show({ message: t(($) => $.common.saved) })
    },
  })
  const submit = form.onSubmit((values) =>
    save.mutate(
      { path: { id: webhook.id }, body: webhookChangeOf(values, form.getInitialValues(), types) },
      {
        onSuccess() {
          form.resetDirty(values)
          onDone()
        },
      },
    ),
  )
  return (
    <Form onSubmit={submit} fault={fault}>
      <UnsavedGuard isUnsaved={form.isDirty} isSaving={save.isPending} />
      <WebhookFields form={form} />
      <FormButtons
        form={form}
        submit={t(($) => $.common.save)}
        isBusy={save.isPending}
        onCancel={onDone}
      />
    </Form>
  )
}
