import { Text } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  listLabelsOptions,
  listLabelsQueryKey,
  updateLabelMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Label } from '../../api/generated/types.gen.ts'
import { changeOf, useFormFault, useTheirChanges } from '../../lib/form.ts'
import { Form } from '../../ui/Form.tsx'
import { FormButtons } from '../../ui/FormButtons.tsx'
import { LoadingRows } from '../../ui/LoadingRows.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { LabelFields } from './LabelFields.tsx'
import type { LabelValues } from './label-form.ts'

interface EditLabelProps {
  id: string
  onDone: () => void
}

export function EditLabel({ id, onDone }: EditLabelProps) {
  const { t } = useTranslation()
  const labels = useQuery(listLabelsOptions())
  if (labels.isPending) return <LoadingRows rows={3} />
  const label = labels.data?.items.find((each) => each.id === id)
  if (!label && labels.error) return <QueryFault query={labels} />
  if (!label) return <Text>{t(($) => $.labels.gone)}</Text>
  return <LabelEditor key={id} label={label} onDone={onDone} />
}

function LabelEditor({ label, onDone }: { label: Label; onDone: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const { name, effect, sentiment } = label
  const theirs: LabelValues = { name, effect, sentiment }
  const form = useForm<LabelValues>({
    initialValues: theirs,
    validate: {
      name: isNotEmpty(t(($) => $.labels.form.nameMissing)),
    },
  })
  const { fault, handlers } = useFormFault(form)
  useTheirChanges(form, theirs)
  const change = useMutation({
    ...updateLabelMutation(),
    ...handlers,
    onSuccess: () => cache.invalidateQueries({ queryKey: listLabelsQueryKey() }),
  })
  const submit = form.onSubmit((values) =>
    change.mutate(
      { path: { id: label.id }, body: changeOf(values, form.getInitialValues()) },
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
      <UnsavedGuard isUnsaved={form.isDirty} isSaving={change.isPending} />
      <LabelFields form={form} />
      <Text size="sm" c="dimmed">
        {t(($) => $.labels.form.valueStays, { value: label.value })}
      </Text>
      <FormButtons
        form={form}
        submit={t(($) => $.common.save)}
        isBusy={change.isPending}
        onCancel={onDone}
      />
    </Form>
  )
}
