import { TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  addSuppressionMutation,
  countSuppressionsQueryKey,
  listSuppressionsInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { longest } from '../../lib/longest.ts'
import { Form } from '../../ui/Form.tsx'
import { FormButtons } from '../../ui/FormButtons.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'

export function AddSuppression({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const form = useForm({
    initialValues: { value: '' },
    onValuesChange: idempotencyKey.renew,
    validate: {
      value: isNotEmpty(t(($) => $.suppression.form.missing)),
    },
  })
  const { fault, handlers } = useFormFault(form)
  const add = useMutation({
    ...addSuppressionMutation(),
    ...handlers,
    onSuccess({ value }) {
      notifications.show({ message: t(($) => $.suppression.form.done, { value }) })
      void cache.invalidateQueries({ queryKey: listSuppressionsInfiniteQueryKey() })
      void cache.invalidateQueries({ queryKey: countSuppressionsQueryKey() })
    },
  })
  const submit = form.onSubmit((body) =>
    add.mutate(
      { headers: idempotencyKey.headers(), body },
      {
        onSuccess() {
          form.resetDirty(body)
          onDone()
        },
      },
    ),
  )
  return (
    <Form onSubmit={submit} fault={fault}>
      <UnsavedGuard isUnsaved={form.isDirty} isSaving={add.isPending} />
      <TextInput
        {...form.getInputProps('value')}
        label={t(($) => $.suppression.form.value)}
        description={t(($) => $.suppression.form.hint)}
        maxLength={longest.address}
        spellCheck={false}
        data-autofocus
      />
      <FormButtons
        form={form}
        submit={t(($) => $.suppression.form.submit)}
        isBusy={add.isPending}
        onCancel={onDone}
      />
    </Form>
  )
}
