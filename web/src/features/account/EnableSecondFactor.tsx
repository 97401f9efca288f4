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
import { useBlockWhile } from '../../lib/block-while.ts'
import { Form } from '../../ui/Form.tsx'
import { QrCode } from '../../ui/QrCode.tsx'
import { Secret } from '../../ui/Secret.tsx'
import { ShownOnce } from '../../ui/ShownOnce.tsx'
import { refreshSession } from '../users/index.ts'
import { BackupCodes } from './BackupCodes.tsx'

interface EnableSecondFactorProps {
  /** The second factor is on, and its backup codes are still to be stored. */
  isConfirmed: boolean
  /** A code is on its way, and may switch it on. */
  onConfirm: () => void
  onRefused: () => void
  onConfirmed: () => void
  onDone: () => void
}

/** Password, then the code to scan; only the first right code of the telephone switches it on. */
export function EnableSecondFactor(props: EnableSecondFactorProps) {
  const { isConfirmed, onDone } = props
  const { t } = useTranslation()
  const form = useForm({ initialValues: { password: '' } })
  const start = useMutation({ ...beginSecondFactorMutation() })
  if (start.isSuccess && isConfirmed) {
    return (
      <ShownOnce done={t(($) => $.secondFactor.stored)} onDone={onDone}>
        <BackupCodes codes={start.data.backup_codes} />
      </ShownOnce>
    )
  }
  if (start.isSuccess) return <ScanAndConfirm started={start.data} {...props} />
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

interface ScanAndConfirmProps extends EnableSecondFactorProps {
  started: BegunSecondFactor
}

function ScanAndConfirm({ started, onConfirm, onRefused, onConfirmed }: ScanAndConfirmProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const form = useForm({ initialValues: { code: '' } })
  const confirm = useMutation({
    ...confirmSecondFactorMutation(),
    onMutate: onConfirm,
    onError() {
      form.setFieldValue('code', '')
      onRefused()
    },
    async onSuccess() {
      onConfirmed()
      notifications.show({ message: t(($) => $.secondFactor.enabled) })
      await cache.invalidateQueries({ queryKey: listOwnSessionsQueryKey() })
      await refreshSession()
    },
  })
  useBlockWhile(confirm.isPending)
  const secret = new URL(started.uri).searchParams.get('secret') ?? ''
  return (
    <Form
      onSubmit={form.onSubmit(({ code }) => confirm.mutate({ body: { code: code.trim() } }))}
      fault={confirm.error}
    >
      <Text>{t(($) => $.secondFactor.scan)}</Text>
      <QrCode text={started.uri} label={t(($) => $.secondFactor.qr)} />
      <Secret label={t(($) => $.secondFactor.secret)} value={secret} isTyped />
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
