import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import type { TFunction } from 'i18next'
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

const passwordLengthMin = 12

/** What is wrong with a new password. Counted as the server counts: an emoji is one character. */
export const newPasswordProblem = (t: TFunction, password: string): string | null =>
  [...password].length < passwordLengthMin
    ? t(($) => $.password.short, { count: passwordLengthMin })
    : null
