import { Button, Group, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  getWorkspaceQueryKey,
  updateWorkspaceMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Workspace } from '../../api/generated/types.gen.ts'
import { useFormFault, useTheirChanges } from '../../lib/form.ts'
import { longest } from '../../lib/longest.ts'
import { Form } from '../../ui/Form.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { refreshSession, useMay } from '../users/index.ts'

export function RenameWorkspace({ workspace }: { workspace: Workspace }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const mayChange = useMay('admin')
  const form = useForm({
    initialValues: { name: workspace.name },
    validate: { name: isNotEmpty(t(($) => $.workspace.nameMissing)) },
  })
  const { fault, handlers } = useFormFault(form)
  useTheirChanges(form, { name: workspace.name })
  const rename = useMutation({
    ...updateWorkspaceMutation(),
    ...handlers,
    async onSuccess(renamed) {
      cache.setQueryData(getWorkspaceQueryKey(), renamed)
      await refreshSession()
      notifications.show({ message: t(($) => $.common.saved) })
    },
  })
  const save = form.onSubmit((body) => {
    // Enter sends a form without a button, too.
    if (mayChange) rename.mutate({ body }, { onSuccess: () => form.resetDirty(body) })
  })
  return (
    <Form onSubmit={save} fault={fault}>
      <UnsavedGuard isUnsaved={form.isDirty} isSaving={rename.isPending} staysBelowPanels />
      <TextInput
        {...form.getInputProps('name')}
        label={t(($) => $.workspace.name)}
        maxLength={longest.name}
        readOnly={!mayChange}
      />
      {mayChange && (
        <Group>
          <Button type="submit" disabled={!form.isDirty()} loading={rename.isPending}>
            {t(($) => $.common.save)}
          </Button>
        </Group>
      )}
    </Form>
  )
}
