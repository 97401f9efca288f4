import { Button, Group, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { updateProfileMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { longest } from '../../lib/longest.ts'
import { Form } from '../../ui/Form.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { refreshSession, useSignedIn } from '../users/index.ts'

export function Profile() {
  const { t } = useTranslation()
  const { user } = useSignedIn()
  const form = useForm({
    initialValues: { name: user.name },
    validate: { name: isNotEmpty(t(($) => $.setUp.nameMissing)) },
  })
  const { fault, handlers } = useFormFault(form)
  const update = useMutation({
    ...updateProfileMutation(),
    ...handlers,
    async onSuccess() {
      await refreshSession()
      notifications.show({ message: t(($) => $.common.saved) })
    },
  })
  const save = form.onSubmit((body) =>
    update.mutate({ body }, { onSuccess: () => form.resetDirty(body) }),
  )
  return (
    <Form onSubmit={save} fault={fault}>
      <UnsavedGuard isUnsaved={form.isDirty} isSaving={update.isPending} staysBelowPanels />
      <TextInput
        {...form.getInputProps('name')}
        label={t(($) => $.setUp.name)}
        autoComplete="name"
        maxLength={longest.name}
      />
      <TextInput
        label={t(($) => $.signIn.email)}
        description={t(($) => $.account.emailHint)}
        value={user.email}
        readOnly
      />
      <Group>
        <Button type="submit" disabled={!form.isDirty()} loading={update.isPending}>
          {t(($) => $.common.save)}
        </Button>
      </Group>
    </Form>
  )
}
