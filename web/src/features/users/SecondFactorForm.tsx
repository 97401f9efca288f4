import { Anchor, Button, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { enterSecondFactorMutation } from '../../api/generated/@tanstack/react-query.gen.ts'
import { Form } from '../../ui/Form.tsx'

interface SecondFactorFormProps {
  onDone: () => Promise<void>
  /** A sign-in that has ended begins again by its password: after ten minutes, or too many wrong codes. */
  onAgain: () => void
}

/** The code of the moment, or one of those that were kept for a lost telephone. */
export function SecondFactorForm({ onDone, onAgain }: SecondFactorFormProps) {
  const { t } = useTranslation()
  const [isBackup, setIsBackup] = useState(false)
  const form = useForm({
    initialValues: { code: '' },
    validate: { code: isNotEmpty(t(($) => $.signIn.codeMissing)) },
  })
  const check = useMutation({
    ...enterSecondFactorMutation(),
    onSuccess: onDone,
    onError: () => form.setFieldValue('code', ''),
  })
  return (
    <Form
      onSubmit={form.onSubmit(({ code }) =>
        check.mutate({ body: { code: code.trim(), is_backup_code: isBackup } }),
      )}
      fault={check.error}
    >
      <TextInput
        {...form.getInputProps('code')}
        key={String(isBackup)}
        label={isBackup ? t(($) => $.signIn.backupCode) : t(($) => $.signIn.code)}
        description={isBackup ? t(($) => $.signIn.backupHint) : t(($) => $.signIn.codeHint)}
        autoComplete="one-time-code"
        inputMode={isBackup ? 'text' : 'numeric'}
        autoFocus
      />
      <Button type="submit" loading={check.isPending} fullWidth>
        {t(($) => $.signIn.submit)}
      </Button>
      <Anchor component="button" type="button" size="sm" onClick={() => setIsBackup(!isBackup)}>
        {isBackup ? t(($) => $.signIn.useCode) : t(($) => $.signIn.useBackup)}
      </Anchor>
      <Anchor component="button" type="button" size="sm" onClick={onAgain}>
        {t(($) => $.signIn.beginAgain)}
      </Anchor>
    </Form>
  )
}
