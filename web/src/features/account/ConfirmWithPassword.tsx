import { Modal, PasswordInput, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  disableSecondFactorMutation,
  renewBackupCodesMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { useBlockWhile } from '../../lib/block-while.ts'
import { Form } from '../../ui/Form.tsx'
import { FormButtons } from '../../ui/FormButtons.tsx'
import { ShownOnce } from '../../ui/ShownOnce.tsx'
import { refreshSession } from '../users/index.ts'
import { BackupCodes } from './BackupCodes.tsx'

interface ConfirmWithPasswordProps {
  /** What is about to happen: new backup codes, or no second factor any more. */
  verb: 'codes' | 'disable'
  onClose: () => void
}

export function ConfirmWithPassword({ verb, onClose }: ConfirmWithPasswordProps) {
  const { t } = useTranslation()
  const [codes, setCodes] = useState<string[]>()
  const form = useForm({ initialValues: { password: '' } })
  const renew = useMutation({
    ...renewBackupCodesMutation(),
    onSuccess: ({ backup_codes }) => setCodes(backup_codes),
  })
  const disable = useMutation({
    ...disableSecondFactorMutation(),
    async onSuccess() {
      onClose()
      notifications.show({ message: t(($) => $.secondFactor.disabled) })
      await refreshSession()
    },
  })
  const { mutate, isPending, error } = verb === 'codes' ? renew : disable
  useBlockWhile(isPending)
  return (
    <Modal
      opened
      // The codes are waited for, and once they are there closed by their own button.
      onClose={() => !codes && !isPending && onClose()}
      withCloseButton={!codes}
      title={t(($) => $.secondFactor.dialogs[verb].title)}
    >
      {codes ? (
        <ShownOnce done={t(($) => $.secondFactor.stored)} onDone={onClose}>
          <BackupCodes codes={codes} />
        </ShownOnce>
      ) : (
        <Form onSubmit={form.onSubmit((body) => mutate({ body }))} fault={error}>
          <Text>{t(($) => $.secondFactor.dialogs[verb].body)}</Text>
          <PasswordInput
            {...form.getInputProps('password')}
            label={t(($) => $.password.current)}
            autoComplete="current-password"
            data-autofocus
          />
          <FormButtons
            submit={t(($) => $.secondFactor.dialogs[verb].confirm)}
            isBusy={isPending}
            isDangerous={verb === 'disable'}
            onCancel={onClose}
          />
        </Form>
      )}
    </Modal>
  )
}
