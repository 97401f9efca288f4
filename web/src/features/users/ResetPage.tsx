import { Button } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { resetPasswordMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { useToken } from '../../lib/useToken.ts'
import { Form } from '../../ui/Form.tsx'
import { NarrowPage } from '../../ui/NarrowPage.tsx'
import { NewPasswordInput, newPasswordProblem } from './NewPasswordInput.tsx'
import { SecondFactorForm } from './SecondFactorForm.tsx'
import { useEnterApplication } from './useEnterApplication.ts'

/** Where the one-time link leads that an admin or the command line makes. */
export function ResetPage() {
  const { t } = useTranslation()
  const token = useToken()
  const enter = useEnterApplication()
  const navigate = useNavigate()
  const form = useForm({
    initialValues: { password: '' },
    validate: {
      password: (password) => newPasswordProblem(t, password),
    },
  })
  const { fault, handlers } = useFormFault(form)
  const reset = useMutation({
    ...resetPasswordMutation(),
    ...handlers,
    onSuccess: async ({ second_factor }) => {
      if (!second_factor) await enter()
    },
  })
  if (token === '') {
    return <NarrowPage title={t(($) => $.reset.noToken)} lead={t(($) => $.reset.ask)} />
  }
  if (reset.data?.second_factor) {
    return (
      <NarrowPage title={t(($) => $.reset.code)} lead={t(($) => $.reset.codeLead)}>
        <SecondFactorForm onDone={enter} onAgain={() => void navigate({ to: '/sign-in' })} />
      </NarrowPage>
    )
  }
  return (
    <NarrowPage title={t(($) => $.reset.title)} lead={t(($) => $.reset.lead)}>
      <Form
        onSubmit={form.onSubmit(({ password }) => reset.mutate({ body: { token, password } }))}
        fault={fault}
      >
        <NewPasswordInput {...form.getInputProps('password')} autoFocus />
        <Button type="submit" loading={reset.isPending} fullWidth>
          {t(($) => $.reset.submit)}
        </Button>
      </Form>
    </NarrowPage>
  )
}
