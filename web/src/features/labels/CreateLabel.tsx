import { isNotEmpty, useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  createLabelMutation,
  listLabelsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { Form } from '../../ui/Form.tsx'
import { FormButtons } from '../../ui/FormButtons.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { LabelFields } from './LabelFields.tsx'
import type { LabelValues } from './label-form.ts'

export function CreateLabel({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const form = useForm<LabelValues>({
    initialValues: { name: '', effect: 'none', sentiment: 'neutral' },
    onValuesChange: idempotencyKey.renew,
    validate: {
      name: isNotEmpty(t(($) => $.labels.form.nameMissing)),
    },
  })
  const { fault, handlers } = useFormFault(form)
  const create = useMutation({
    ...createLabelMutation(),
    ...handlers,
    onSuccess: () => cache.invalidateQueries({ queryKey: listLabelsQueryKey() }),
  })
  const submit = form.onSubmit((body) =>
    create.mutate(
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
      <UnsavedGuard isUnsaved={form.isDirty} isSaving={create.isPending} />
      <LabelFields form={form} />
      <FormButtons
        form={form}
        submit={t(($) => $.labels.form.submit)}
        isBusy={create.isPending}
        onCancel={onDone}
      />
    </Form>
  )
}
