import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  createWebhookMutation,
  listWebhookHealthInfiniteQueryKey,
  listWebhooksInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { Form } from '../../ui/Form.tsx'
import { FormButtons } from '../../ui/FormButtons.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { SigningSecret } from './SigningSecret.tsx'
import { useEventNames } from './useEventNames.ts'
import { useWebhookForm } from './useWebhookForm.ts'
import { WebhookFields } from './WebhookFields.tsx'
import { bodyOf, firstValues } from './webhook-form.ts'

interface CreateWebhookProps {
  onCancel: () => void
  /** Called once the webhook is made, and its secret was seen. */
  onDone: (id: string) => void
}

/** The form, and in its place the signing secret once the webhook is made. */
export function CreateWebhook({ onCancel, onDone }: CreateWebhookProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const { types } = useEventNames()
  const form = useWebhookForm(firstValues, idempotencyKey.renew)
  const { fault, handlers } = useFormFault(form)
  const create = useMutation({
    ...createWebhookMutation(),
    ...handlers,
    // The secret is shown at once, whatever becomes of the lists.
    onSuccess() {
      void cache.invalidateQueries({ queryKey: listWebhooksInfiniteQueryKey() })
      void cache.invalidateQueries({ queryKey: listWebhookHealthInfiniteQueryKey() })
    },
  })
  if (create.isSuccess) {
    const { id, name, signing_secret } = create.data
    return <SigningSecret name={name} secret={signing_secret} onDone={() => onDone(id)} />
  }
  const submit = form.onSubmit((values) =>
    create.mutate({ headers: idempotencyKey.headers(), body: bodyOf(values, types) }),
  )
  return (
    <Form onSubmit={submit} fault={fault}>
      <UnsavedGuard isUnsaved={form.isDirty} isBusy={create.isPending} />
      <WebhookFields form={form} />
      <FormButtons
        form={form}
        submit={t(($) => $.webhooks.form.submit)}
        isBusy={create.isPending}
        onCancel={onCancel}
      />
    </Form>
  )
}
