import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import {
  createServiceAccountKeyMutation,
  listServiceAccountKeysInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { nowMs } from '../../lib/clock.ts'
import { showFault } from '../../lib/form.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
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
  const [fault, setFault] = useState<Fault>()
  const form = useForm<KeyValues>({
    initialValues: firstValues,
    onValuesChange: idempotencyKey.renew,
    validate: {
      name: (name) => (name.trim() === '' ? t(($) => $.keys.form.nameMissing) : null),
      date: (date, { expiry }) =>
        expiry === 'date' && date === '' ? t(($) => $.keys.form.dateMissing) : null,
      scopes: (scopes) => (scopes.length === 0 ? t(($) => $.keys.form.scopesMissing) : null),
    },
  })
  const create = useMutation({
    ...createServiceAccountKeyMutation(),
    onMutate: () => setFault(undefined),
    // The key is shown at once, whatever becomes of the list.
    onSuccess: () =>
      void cache.invalidateQueries({ queryKey: listServiceAccountKeysInfiniteQueryKey() }),
    onError: (refused) => setFault(showFault(form, refused)),
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
        maxLength={255}
        data-autofocus
        withAsterisk
      />
      <ScopeFields form={form} />
      <ExpiryField form={form} />
      <FormButtons
        submit={t(($) => $.keys.form.submit)}
        isBusy={create.isPending}
        onCancel={() => {
          form.reset()
          onDone()
        }}
      />
    </Form>
  )
}
