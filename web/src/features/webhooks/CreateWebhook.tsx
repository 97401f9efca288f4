import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import {
  createWebhookMutation,
  listWebhookHealthInfiniteQueryKey,
  listWebhooksInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { showFault } from '../../lib/form.ts'
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
  /** It is made, and its secret was seen. */
  onDone: (id: string) => void
}

/** The form, and in its place the signing secret once the webhook is made. */
export function CreateWebhook({ onCancel, onDone }: CreateWebhookProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const { types } = useEventNames()
  const [fault, setFault] = useState<Fault>()
  const form = useWebhookForm(firstValues, idempotencyKey.renew)
  const create = useMutation({
    ...createWebhookMutation(),
    onMutate: () => setFault(undefined),
    // The secret is shown at once, whatever becomes of the lists.
    onSuccess() {
      void cache.invalidateQueries({ queryKey: listWebhooksInfiniteQueryKey() })
      void cache.invalidateQueries({ queryKey: listWebhookHealthInfiniteQueryKey() })
    },
    onError: (refused) => setFault(showFault(form, refused)),
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
        submit={t(($) => $.webhooks.form.submit)}
        isBusy={create.isPending}
        onCancel={() => {
          form.reset()
          onCancel()
        }}
      />
    </Form>
  )
}
