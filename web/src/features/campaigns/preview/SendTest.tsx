import { Drawer, NativeSelect, Text, TextInput } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { sendTestMailMutation } from '../../../api/generated/@tanstack/react-query.gen.ts'
import { useFormFault } from '../../../lib/form.ts'
import { useIdempotencyKey } from '../../../lib/idempotency-key.ts'
import { longest } from '../../../lib/longest.ts'
import { useIsHere } from '../../../lib/useIsHere.ts'
import { Form } from '../../../ui/Form.tsx'
import { FormButtons } from '../../../ui/FormButtons.tsx'
import { QueryFault } from '../../../ui/QueryFault.tsx'
import { UnsavedGuard } from '../../../ui/UnsavedGuard.tsx'
import { useMailboxes } from '../../mailboxes/index.ts'
import { useSignedIn } from '../../users/index.ts'
import { useDraft } from '../useDraft.ts'
import { useInWords } from '../useFieldName.ts'
import { draftOf } from './preview-query.ts'

interface SendTestProps {
  opened: boolean
  lead: string
  step: number
  variant: number | undefined
  onClose: () => void
}

/** The mail that is looked at, to oneself; also one that is not saved yet. */
export function SendTest({ opened, lead, step, variant, onClose }: SendTestProps) {
  const { t } = useTranslation()
  const { campaign, base, saving } = useDraft()
  const { user } = useSignedIn()
  const idempotencyKey = useIdempotencyKey()
  const isHere = useIsHere()
  const inWords = useInWords()
  const { mailboxes: known, query, notRead } = useMailboxes()
  const own = known.filter(({ address }) => campaign.email_list.includes(address))
  const choices = own.length > 0 ? own : known
  const form = useForm({
    initialValues: { to: user.email, mailbox_id: '' },
    validate: { to: isNotEmpty(t(($) => $.campaigns.test.toMissing)) },
  })
  const { fault, forgetFault, handlers } = useFormFault(form)
  const send = useMutation({
    ...sendTestMailMutation(),
    ...handlers,
    onSuccess({ success, to }) {
      idempotencyKey.renew()
      if (!success) return
      // The next one goes to the same.
      form.resetDirty()
      notifications.show({ message: t(($) => $.campaigns.test.sent, { to }) })
      // By then its sender may be on another page.
      if (isHere.current) onClose()
    },
  })
  const submit = form.onSubmit(({ to, mailbox_id }) => {
    const mailbox = mailbox_id || choices[0]?.id
    if (!mailbox)
      return form.setFieldError('mailbox_id', notRead ?? t(($) => $.campaigns.test.mailboxMissing))
    const body = {
      ...{ lead_id: lead, step, mailbox_id: mailbox, to },
      ...(variant === undefined ? {} : { variant }),
      ...(saving === 'saved' ? {} : { draft: draftOf({ campaign, base, saving }) }),
    }
    const headers = idempotencyKey.headers(JSON.stringify(body))
    send.mutate({ path: { id: campaign.id }, headers, body })
  })
  const beginAnew = () => {
    form.reset()
    forgetFault()
    send.reset()
  }
  return (
    <Drawer
      opened={opened}
      onClose={() => send.isPending || onClose()}
      onExitTransitionEnd={beginAnew}
      title={t(($) => $.campaigns.test.title)}
    >
      <Form onSubmit={submit} fault={fault && inWords(fault, campaign)}>
        <UnsavedGuard isUnsaved={form.isDirty} isSaving={send.isPending} />
        <Text size="sm" c="dimmed">
          {t(($) => $.campaigns.test.body)}
        </Text>
        {send.data?.error && (
          <Text size="sm" c="var(--red-text)" role="alert">
            {send.data.error}
          </Text>
        )}
        <TextInput
          {...form.getInputProps('to')}
          label={t(($) => $.campaigns.test.to)}
          type="email"
          maxLength={longest.address}
          data-autofocus
        />
        <QueryFault query={query} />
        <NativeSelect
          {...form.getInputProps('mailbox_id')}
          label={t(($) => $.campaigns.test.mailbox)}
          data={choices.map(({ id, address }) => ({ value: id, label: address }))}
        />
        <FormButtons
          form={form}
          submit={t(($) => $.campaigns.test.submit)}
          isBusy={send.isPending}
          onCancel={onClose}
        />
      </Form>
    </Drawer>
  )
}
