import { Button, Group, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import { updateProfileMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { showFault } from '../../lib/form.ts'
import { Form } from '../../ui/Form.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { refreshSession, useSignedIn } from '../users/index.ts'

export function Profile() {
  const { t } = useTranslation()
  const { user } = useSignedIn()
  const [fault, setFault] = useState<Fault>()
  const form = useForm({
    initialValues: { name: user.name },
    validate: { name: (name) => (name.trim() === '' ? t(($) => $.setUp.nameMissing) : null) },
  })
  const update = useMutation({
    ...updateProfileMutation(),
    onMutate: () => setFault(undefined),
    onError: (refused) => setFault(showFault(form, refused)),
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
      <UnsavedGuard isUnsaved={form.isDirty} staysBelowPanels />
      <TextInput
        {...form.getInputProps('name')}
        label={t(($) => $.setUp.name)}
        autoComplete="name"
        maxLength={255}
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
