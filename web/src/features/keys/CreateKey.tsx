import { TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  createServiceAccountKeyMutation,
  listServiceAccountKeysInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { nowMs } from '../../lib/clock.ts'
import { useFormFault } from '../../lib/form.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { longest } from '../../lib/longest.ts'
import { Form } from '../../ui/Form.tsx'
import { FormButtons } from '../../ui/FormButtons.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { CreatedKey } from './CreatedKey.tsx'
import { ExpiryField } from './ExpiryField.tsx'
import { expiryInstant } from './expiry.ts'
import { firstValues, type KeyValues } from './key-form.ts'
import { ScopeFields } from './ScopeFields.tsx'

/** The form, and in its place the key once it is made. */
export function CreateKey({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const form = useForm<KeyValues>({
    initialValues: firstValues,
    onValuesChange: idempotencyKey.renew,
    validate: {
      name: isNotEmpty(t(($) => $.keys.form.nameMissing)),
      date: (date, { expiry }) =>
        expiry === 'date' && date === '' ? t(($) => $.keys.form.dateMissing) : null,
      scopes: isNotEmpty(t(($) => $.keys.form.scopesMissing)),
    },
  })
  const { fault, handlers } = useFormFault(form)
  const create = useMutation({
    ...createServiceAccountKeyMutation(),
    ...handlers,
    // The key is shown at once, whatever becomes of the list.
    onSuccess: () =>
      void cache.invalidateQueries({ queryKey: listServiceAccountKeysInfiniteQueryKey() }),
  })

  if (create.isSuccess) return <CreatedKey created={create.data} onDone={onDone} />

  const submit = form.onSubmit(({ name, scopes, expiry, date }) => {
    const expires = expiryInstant(expiry, date, new Date(nowMs()))
    create.mutate({
      headers: idempotencyKey.headers(),
      body: { name, scopes, ...(expires ? { timestamp_expires: expires } : {}) },
    })
  })
  return (
    <Form onSubmit={submit} fault={fault}>
      <UnsavedGuard isUnsaved={form.isDirty} isBusy={create.isPending} />
      <TextInput
        {...form.getInputProps('name')}
        label={t(($) => $.keys.form.name)}
        description={t(($) => $.keys.form.nameHint)}
        maxLength={longest.name}
        data-autofocus
        withAsterisk
      />
      <ScopeFields form={form} />
      <ExpiryField form={form} />
      <FormButtons
        form={form}
        submit={t(($) => $.keys.form.submit)}
        isBusy={create.isPending}
        onCancel={onDone}
      />
    </Form>
  )
}
