import { Fieldset, Group, NativeSelect, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { longest } from '../../lib/longest.ts'
import { NumberField } from '../../ui/NumberField.tsx'
import type { LoginForm } from './login-form.ts'

const securities = ['tls', 'starttls', 'none'] as const

export function ServerFields({ form, side }: { form: LoginForm; side: 'smtp' | 'imap' }) {
  const { t } = useTranslation()
  return (
    <Fieldset legend={t(($) => $.mailboxes.login[side])}>
      <TextInput
        {...form.getInputProps(`${side}.host`)}
        label={t(($) => $.mailboxes.login.host)}
        maxLength={longest.host}
        spellCheck={false}
      />
      <Group grow mt="sm" align="flex-start">
        <NumberField
          {...form.getInputProps(`${side}.port`)}
          label={t(($) => $.mailboxes.login.port)}
          min={1}
          max={65_535}
        />
        <NativeSelect
          {...form.getInputProps(`${side}.security`)}
          label={t(($) => $.mailboxes.login.security)}
          data={securities.map((value) => ({
            value,
            label: t(($) => $.mailboxes.login.securities[value]),
          }))}
        />
      </Group>
      <TextInput
        {...form.getInputProps(`${side}.username`)}
        label={t(($) => $.mailboxes.login.username)}
        mt="sm"
        maxLength={longest.address}
        spellCheck={false}
        autoComplete="off"
      />
    </Fieldset>
  )
}
