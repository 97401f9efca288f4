import { Button, Group, PasswordInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  changePasswordMutation,
  listOwnSessionsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { Form } from '../../ui/Form.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { NewPasswordInput, newPasswordProblem, useSignedIn } from '../users/index.ts'

export function ChangePassword() {
  const { t } = useTranslation()
  const { user } = useSignedIn()
  const cache = useQueryClient()
  const form = useForm({
    initialValues: { current_password: '', new_password: '' },
    validate: {
      current_password: (value) => (value === '' ? t(($) => $.signIn.passwordMissing) : null),
      new_password: (value) => newPasswordProblem(t, value),
    },
  })
  const { fault, handlers } = useFormFault(form)
  const change = useMutation({
    ...changePasswordMutation(),
    ...handlers,
    async onSuccess() {
      form.reset()
      notifications.show({ message: t(($) => $.account.passwordChanged) })
      await cache.invalidateQueries({ queryKey: listOwnSessionsQueryKey() })
    },
  })
  return (
    <Form onSubmit={form.onSubmit((body) => change.mutate({ body }))} fault={fault}>
      {/* The browser fills in the current one, unasked. */}
      <UnsavedGuard
        isUnsaved={() => form.getValues().new_password !== ''}
        isSaving={change.isPending}
        staysBelowPanels
      />
      <input type="email" value={user.email} autoComplete="username" readOnly hidden />
      <PasswordInput
        {...form.getInputProps('current_password')}
        label={t(($) => $.password.current)}
        autoComplete="current-password"
      />
      <NewPasswordInput {...form.getInputProps('new_password')} />
      <Group>
        <Button type="submit" variant="default" loading={change.isPending}>
          {t(($) => $.account.changePassword)}
        </Button>
      </Group>
    </Form>
  )
}
