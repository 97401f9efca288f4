import { Alert, Anchor, Button, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { getSessionOptions, setUpMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { useToken } from '../../lib/useToken.ts'
import { Form } from '../../ui/Form.tsx'
import { NarrowPage } from '../../ui/NarrowPage.tsx'
import { NewPasswordInput, newPasswordProblem } from './NewPasswordInput.tsx'
import { useEnterApplication } from './useEnterApplication.ts'

/** The first page there is: whoever read the server's output becomes the owner. */
export function SetUpPage() {
  const { t } = useTranslation()
  const token = useToken()
  const session = useQuery(getSessionOptions())
  if (session.data?.is_set_up) {
    return (
      <NarrowPage title={t(($) => $.setUp.done)} lead={t(($) => $.setUp.doneBody)}>
        <Anchor component={Link} to="/sign-in">
          {t(($) => $.signIn.title)}
        </Anchor>
      </NarrowPage>
    )
  }
  return (
    <NarrowPage title={t(($) => $.setUp.title)} lead={t(($) => $.setUp.lead)}>
      {token === '' ? (
        <Alert color="yellow" role="alert" title={t(($) => $.setUp.noToken)}>
          {t(($) => $.setUp.noTokenBody)}
        </Alert>
      ) : (
        <OwnerForm token={token} />
      )}
    </NarrowPage>
  )
}

function OwnerForm({ token }: { token: string }) {
  const { t } = useTranslation()
  const enter = useEnterApplication()
  const form = useForm({
    initialValues: { name: '', email: '', password: '', workspace: '' },
    validate: {
      name: isNotEmpty(t(($) => $.setUp.nameMissing)),
      email: (email) => (email.includes('@') ? null : t(($) => $.setUp.emailMissing)),
      password: (password) => newPasswordProblem(t, password),
    },
  })
  const { fault, handlers } = useFormFault(form)
  const setUp = useMutation({
    ...setUpMutation(),
    ...handlers,
    onSuccess: enter,
  })
  return (
    <Form
      onSubmit={form.onSubmit(({ workspace, ...person }) => {
        const named = workspace.trim() === '' ? {} : { workspace }
        setUp.mutate({ body: { token, ...person, ...named } })
      })}
      fault={fault}
    >
      <TextInput
        {...form.getInputProps('name')}
        label={t(($) => $.setUp.name)}
        autoComplete="name"
        autoFocus
      />
      <TextInput
        {...form.getInputProps('email')}
        type="email"
        label={t(($) => $.signIn.email)}
        description={t(($) => $.setUp.emailHint)}
        autoComplete="username"
      />
      <NewPasswordInput {...form.getInputProps('password')} label={t(($) => $.signIn.password)} />
      <TextInput
        {...form.getInputProps('workspace')}
        label={t(($) => $.setUp.workspace)}
        description={t(($) => $.setUp.workspaceHint)}
        autoComplete="organization"
      />
      <Button type="submit" loading={setUp.isPending} fullWidth>
        {t(($) => $.setUp.submit)}
      </Button>
    </Form>
  )
}
