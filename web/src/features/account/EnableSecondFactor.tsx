import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  beginSecondFactorMutation,
  confirmSecondFactorMutation,
  listOwnSessionsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { BegunSecondFactor } from '../../api/generated/types.gen.ts'
import { Form } from '../../ui/Form.tsx'
import { QrCode } from '../../ui/QrCode.tsx'
import { Secret } from '../../ui/Secret.tsx'
import { useSessionRefresh } from '../users/index.ts'
import { BackupCodes } from './BackupCodes.tsx'

/** Password, then the code to scan; only the first right code of the telephone switches it on. */
export default function EnableSecondFactor({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const form = useForm({ initialValues: { password: '' } })
  const start = useMutation({ ...beginSecondFactorMutation() })
  if (start.isSuccess) return <ScanAndConfirm started={start.data} onDone={onDone} />
  return (
    <Form onSubmit={form.onSubmit((body) => start.mutate({ body }))} fault={start.error}>
      <Text>{t(($) => $.secondFactor.lead)}</Text>
      <PasswordInput
        {...form.getInputProps('password')}
        label={t(($) => $.password.current)}
        autoComplete="current-password"
        data-autofocus
      />
      <Button type="submit" loading={start.isPending}>
        {t(($) => $.common.next)}
      </Button>
    </Form>
  )
}

function ScanAndConfirm({ started, onDone }: { started: BegunSecondFactor; onDone: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const refresh = useSessionRefresh()
  const form = useForm({ initialValues: { code: '' } })
  const confirm = useMutation({
    ...confirmSecondFactorMutation(),
    onError: () => form.setFieldValue('code', ''),
    async onSuccess() {
      onDone()
      notifications.show({ message: t(($) => $.secondFactor.enabled) })
      await cache.invalidateQueries({ queryKey: listOwnSessionsQueryKey() })
      await refresh()
    },
  })
  const secret = new URL(started.uri).searchParams.get('secret') ?? ''
  return (
    <Form
      onSubmit={form.onSubmit(({ code }) => confirm.mutate({ body: { code: code.trim() } }))}
      fault={confirm.error}
    >
      <Text>{t(($) => $.secondFactor.scan)}</Text>
      <QrCode text={started.uri} label={t(($) => $.secondFactor.qr)} />
      <Secret label={t(($) => $.secondFactor.secret)} value={secret} />
      <BackupCodes codes={started.backup_codes} />
      <Stack gap="xs">
        <TextInput
          {...form.getInputProps('code')}
          label={t(($) => $.signIn.code)}
          description={t(($) => $.signIn.codeHint)}
          inputMode="numeric"
          autoComplete="one-time-code"
          data-autofocus
        />
        <Button type="submit" loading={confirm.isPending}>
          {t(($) => $.secondFactor.confirm)}
        </Button>
      </Stack>
    </Form>
  )
}
