import {
  Button,
  Fieldset,
  Group,
  NativeSelect,
  Skeleton,
  Stack,
  Switch,
  TextInput,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Suspense, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  getMailboxQueryKey,
  listMailboxesInfiniteQueryKey,
  updateMailboxMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Mailbox } from '../../api/generated/types.gen.ts'
import { changeOf, useFormFault, useTheirChanges } from '../../lib/form.ts'
import { lazyPart } from '../../lib/lazy-part.ts'
import { longest } from '../../lib/longest.ts'
import { Form } from '../../ui/Form.tsx'
import { NumberField } from '../../ui/NumberField.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { bodyOf, carefulValues, type SendingValues, valuesOfMailbox } from './sending-form.ts'

const HtmlEditor = lazyPart(() => import('../../ui/RichText/HtmlEditor.tsx'), 'HtmlEditor')

interface SendingFormProps {
  mailbox: Mailbox
  /** The mailbox was never told how to send, and begins carefully. */
  isNew?: boolean
  submit: string
  /** Shown and not changed, for who may only look. */
  isReadOnly?: boolean
  onDone: () => void
}

/** How much it sends, how fast, and as whom. */
export function SendingForm(props: SendingFormProps) {
  const { mailbox, submit, isReadOnly = false, onDone } = props
  const { t } = useTranslation()
  const cache = useQueryClient()
  const zones = useId()
  const [isNew, setNew] = useState(props.isNew)
  const theirs = isNew ? carefulValues(mailbox) : valuesOfMailbox(mailbox)
  const form = useForm<SendingValues>({ initialValues: theirs })
  useTheirChanges(form, theirs)
  const { fault, handlers } = useFormFault(form)
  const change = useMutation({
    ...updateMailboxMutation(),
    ...handlers,
    async onSuccess(saved) {
      cache.setQueryData(getMailboxQueryKey({ path: { id: saved.id } }), saved)
      await cache.invalidateQueries({ queryKey: listMailboxesInfiniteQueryKey() })
    },
  })
  const save = form.onSubmit((values) => {
    const body = bodyOf(values)
    change.mutate(
      {
        path: { id: mailbox.id },
        body: isNew ? body : changeOf(body, bodyOf(form.getInitialValues())),
      },
      {
        onSuccess() {
          form.resetDirty(values)
          setNew(false)
          onDone()
        },
      },
    )
  })
  const { ramps_up } = form.getValues()
  const signature = form.getInputProps('signature')
  const number = (name: keyof SendingValues, min: number, max: number) => ({
    ...form.getInputProps(name),
    ...{ min, max },
  })
  return (
    <Form onSubmit={save} fault={fault}>
      <UnsavedGuard isUnsaved={form.isDirty} isSaving={change.isPending} />
      <Fieldset variant="unstyled" disabled={isReadOnly}>
        <Stack>
          <Group grow align="flex-start">
            <NumberField
              {...number('daily_limit', 1, 10_000)}
              label={t(($) => $.mailboxes.sending.limit)}
              description={t(($) => $.mailboxes.sending.limitHint)}
            />
            <NumberField
              {...number('gap_seconds', 0, 86_400)}
              label={t(($) => $.mailboxes.sending.gap)}
              description={t(($) => $.mailboxes.sending.gapHint)}
            />
          </Group>
          <Switch
            {...form.getInputProps('ramps_up', { type: 'checkbox' })}
            label={t(($) => $.mailboxes.sending.ramp)}
            description={t(($) => $.mailboxes.sending.rampHint)}
          />
          {ramps_up && (
            <Group grow align="flex-start">
              <NumberField
                {...number('ramp_start', 1, 10_000)}
                label={t(($) => $.mailboxes.sending.rampStart)}
              />
              <NumberField
                {...number('ramp_step', 0, 10_000)}
                label={t(($) => $.mailboxes.sending.rampStep)}
              />
            </Group>
          )}
          <TextInput
            {...form.getInputProps('timezone')}
            label={t(($) => $.mailboxes.sending.zone)}
            description={t(($) => $.mailboxes.sending.zoneHint)}
            list={zones}
            autoComplete="off"
            placeholder="UTC"
            maxLength={longest.zone}
          />
          <datalist id={zones}>
            {Intl.supportedValuesOf('timeZone').map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
          <TextInput
            {...form.getInputProps('display_name')}
            label={t(($) => $.mailboxes.sending.name)}
            description={t(($) => $.mailboxes.sending.nameHint)}
            maxLength={longest.name}
          />
          <Suspense fallback={<Skeleton height={160} />}>
            <HtmlEditor
              kind="plain"
              label={t(($) => $.mailboxes.sending.signature)}
              hint={t(($) => $.mailboxes.sending.signatureHint)}
              otherView="sent"
              value={signature.value}
              problem={signature.error}
              readOnly={isReadOnly}
              onChange={signature.onChange}
            />
          </Suspense>
          <NativeSelect
            {...form.getInputProps('save_sent')}
            label={t(($) => $.mailboxes.sending.copies)}
            data={(['auto', 'on', 'off'] as const).map((value) => ({
              value,
              label: t(($) => $.mailboxes.sending.saveSent[value]),
            }))}
          />
          {!isReadOnly && (
            <Group>
              <Button type="submit" loading={change.isPending}>
                {submit}
              </Button>
            </Group>
          )}
        </Stack>
      </Fieldset>
    </Form>
  )
}
