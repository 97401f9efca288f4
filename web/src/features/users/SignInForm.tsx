import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { signInMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { Form } from '../../ui/Form.tsx'
import { SecondFactorForm } from './SecondFactorForm.tsx'

interface SignInFormProps {
  /** Who has to sign in again; without it anybody may. */
  email?: string
  onDone: () => Promise<void>
}

/** Address and password, and then a code where the person has set one up. */
export function SignInForm({ email, onDone }: SignInFormProps) {
  const { t } = useTranslation()
  const [isCodeWanted, setIsCodeWanted] = useState(false)
  const form = useForm({
    initialValues: { email: email ?? '', password: '' },
    validate: {
      email: isNotEmpty(t(($) => $.signIn.emailMissing)),
      password: (value) => (value === '' ? t(($) => $.signIn.passwordMissing) : null),
    },
  })
  const signIn = useMutation({
    ...signInMutation(),
    onSuccess: async ({ second_factor }) => {
      if (!second_factor) return onDone()
      setIsCodeWanted(true)
      form.setFieldValue('password', '')
    },
    onError: () => form.setFieldValue('password', ''),
  })

  if (isCodeWanted) {
    return <SecondFactorForm onDone={onDone} onAgain={() => setIsCodeWanted(false)} />
  }
  return (
    <Form onSubmit={form.onSubmit((body) => signIn.mutate({ body }))} fault={signIn.error}>
      {email === undefined ? (
        <TextInput
          {...form.getInputProps('email')}
          type="email"
          label={t(($) => $.signIn.email)}
          autoComplete="username"
          autoFocus
        />
      ) : (
        <input type="email" value={email} autoComplete="username" readOnly hidden />
      )}
      <PasswordInput
        {...form.getInputProps('password')}
        label={t(($) => $.signIn.password)}
        autoComplete="current-password"
        data-autofocus
      />
      <Stack gap="xs">
        <Button type="submit" loading={signIn.isPending} fullWidth>
          {t(($) => $.signIn.submit)}
        </Button>
      </Stack>
    </Form>
  )
}
