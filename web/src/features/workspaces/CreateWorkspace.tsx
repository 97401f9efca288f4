import { Modal, Text, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { createWorkspaceMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { longest } from '../../lib/longest.ts'
import { Form } from '../../ui/Form.tsx'
import { FormButtons } from '../../ui/FormButtons.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { refreshSession } from '../users/index.ts'

/** For whoever runs the server; they become its owner, and go there. */
export function CreateWorkspace({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const idempotencyKey = useIdempotencyKey()
  const form = useForm({
    initialValues: { name: '' },
    onValuesChange: idempotencyKey.renew,
    validate: { name: isNotEmpty(t(($) => $.workspace.nameMissing)) },
  })
  const { fault, handlers } = useFormFault(form)
  const create = useMutation({
    ...createWorkspaceMutation(),
    ...handlers,
    onSuccess: refreshSession,
  })
  return (
    <Modal
      opened
      onClose={() => create.isPending || onClose()}
      title={t(($) => $.newWorkspace.title)}
    >
      <Form
        onSubmit={form.onSubmit((body) =>
          create.mutate(
            { headers: idempotencyKey.headers(), body },
            {
              onSuccess({ handle }) {
                form.resetDirty(body)
                onClose()
                void navigate({ to: '/w/$handle', params: { handle } })
              },
            },
          ),
        )}
        fault={fault}
      >
        <UnsavedGuard isUnsaved={form.isDirty} isSaving={create.isPending} />
        <Text>{t(($) => $.newWorkspace.lead)}</Text>
        <TextInput
          {...form.getInputProps('name')}
          label={t(($) => $.workspace.name)}
          maxLength={longest.name}
          data-autofocus
        />
        <FormButtons
          submit={t(($) => $.newWorkspace.submit)}
          isBusy={create.isPending}
          onCancel={onClose}
        />
      </Form>
    </Modal>
  )
}
