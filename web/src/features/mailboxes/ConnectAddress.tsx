import { Button, Group, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { longest } from '../../lib/longest.ts'
import { Form } from '../../ui/Form.tsx'

export function ConnectAddress({ onDone }: { onDone: (address: string) => void }) {
  const { t } = useTranslation()
  const form = useForm({
    initialValues: { address: '' },
    validate: {
      address: (value) =>
        /^\S+@\S+$/.test(value.trim()) ? null : t(($) => $.mailboxes.connect.addressMissing),
    },
  })
  return (
    <Form onSubmit={form.onSubmit(({ address }) => onDone(address.trim()))} fault={undefined}>
      <TextInput
        {...form.getInputProps('address')}
        type="email"
        label={t(($) => $.mailboxes.connect.address)}
        description={t(($) => $.mailboxes.connect.addressHint)}
        maxLength={longest.address}
        data-autofocus
        autoFocus
      />
      <Group>
        <Button type="submit">{t(($) => $.common.next)}</Button>
      </Group>
    </Form>
  )
}
