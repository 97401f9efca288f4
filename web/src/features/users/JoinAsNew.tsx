import { Button, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import { acceptInvitationMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { showFault } from '../../lib/form.ts'
import { Form } from '../../ui/Form.tsx'
import { NewPasswordInput, newPasswordProblem } from './NewPasswordInput.tsx'
import { useEnterApplication } from './useEnterApplication.ts'

/** Name and password of somebody who has no account yet. */
export function JoinAsNew({ token, email }: { token: string; email: string }) {
  const { t } = useTranslation()
  const enter = useEnterApplication()
  const [fault, setFault] = useState<Fault>()
  const form = useForm({
    initialValues: { name: '', password: '' },
    validate: {
      name: (name) => (name.trim() === '' ? t(($) => $.setUp.nameMissing) : null),
      password: (password) => newPasswordProblem(t, password),
    },
  })
  const accept = useMutation({
    ...acceptInvitationMutation(),
    onMutate: () => setFault(undefined),
    onError: (refused) => setFault(showFault(form, refused)),
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
