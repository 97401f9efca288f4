import { Button, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { acceptInvitationMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { Form } from '../../ui/Form.tsx'
import { NewPasswordInput, newPasswordProblem } from './NewPasswordInput.tsx'
import { useEnterApplication } from './useEnterApplication.ts'

/** Name and password of somebody who has no account yet. */
export function JoinAsNew({ token, email }: { token: string; email: string }) {
  const { t } = useTranslation()
  const enter = useEnterApplication()
  const form = useForm({
    initialValues: { name: '', password: '' },
    validate: {
      name: isNotEmpty(t(($) => $.setUp.nameMissing)),
      password: (password) => newPasswordProblem(t, password),
    },
  })
  const { fault, handlers } = useFormFault(form)
  const accept = useMutation({
    ...acceptInvitationMutation(),
    ...handlers,
    onSuccess: enter,
  })
  return (
    <Form
      onSubmit={form.onSubmit((account) => accept.mutate({ body: { token, ...account } }))}
      fault={fault}
    >
      <TextInput label={t(($) => $.signIn.email)} value={email} autoComplete="username" readOnly />
      <TextInput
        {...form.getInputProps('name')}
        label={t(($) => $.setUp.name)}
        autoComplete="name"
        autoFocus
      />
      <NewPasswordInput {...form.getInputProps('password')} label={t(($) => $.signIn.password)} />
      <Button type="submit" loading={accept.isPending} fullWidth>
        {t(($) => $.invitation.submit)}
      </Button>
    </Form>
  )
}
