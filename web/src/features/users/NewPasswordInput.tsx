import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Length is what makes a password strong: nothing else is asked of it. */
export function NewPasswordInput(props: PasswordInputProps) {
  const { t } = useTranslation()
  return (
    <PasswordInput
      label={t(($) => $.password.new)}
      description={t(($) => $.password.hint, { count: passwordLengthMin })}
      autoComplete="new-password"
      {...props}
    />
  )
}

export const passwordLengthMin = 12
