import { ActionIcon, Button, Group, Input, Stack, Text, TextInput } from '@mantine/core'
import { Plus, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { longest } from '../../lib/longest.ts'
import type { WebhookForm } from './webhook-form.ts'

const headersMax = 20

/** Headers of the receiver's own, as its token; stored values are shown as dots and stay so. */
export function HeaderFields({ form }: { form: WebhookForm }) {
  const { t } = useTranslation()
  const { headers } = form.getValues()
  return (
    <div>
      <Input.Label labelElement="div">{t(($) => $.webhooks.form.headers)}</Input.Label>
      <Text size="xs" c="dimmed" mb="xs">
        {t(($) => $.webhooks.form.headersHint)}
      </Text>
      <Stack gap="xs">
        {headers.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the form knows its rows by their place
          <Group key={index} gap="xs" wrap="nowrap" align="flex-start">
            <TextInput
              {...form.getInputProps(`headers.${index}.name`)}
              flex={1}
              aria-label={t(($) => $.webhooks.form.headerName)}
              placeholder="Authorization"
              maxLength={longest.headerName}
            />
            <TextInput
              {...form.getInputProps(`headers.${index}.value`)}
              flex={1}
              aria-label={t(($) => $.webhooks.form.headerValue)}
              autoComplete="off"
              maxLength={longest.headerValue}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="input-sm"
              aria-label={t(($) => $.webhooks.form.removeHeader)}
              onClick={() => form.removeListItem('headers', index)}
            >
              <X size="1rem" aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {form.errors.headers && (
          <Text size="xs" c="var(--mantine-color-error)">
            {form.errors.headers}
          </Text>
        )}
        {headers.length < headersMax && (
          <Button
            variant="default"
            size="xs"
            w="fit-content"
            leftSection={<Plus size="0.875rem" aria-hidden />}
            onClick={() => form.insertListItem('headers', { name: '', value: '' })}
          >
            {t(($) => $.webhooks.form.addHeader)}
          </Button>
        )}
      </Stack>
    </div>
  )
}
