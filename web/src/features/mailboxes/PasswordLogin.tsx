import { Anchor, Button, Group, PasswordInput, Text } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  addMailboxMutation,
  getMailboxQueryKey,
  listMailboxesInfiniteQueryKey,
  suggestMailboxQueryKey,
  updateMailboxMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type {
  Error as ErrorBody,
  Mailbox,
  MailboxSuggestion,
} from '../../api/generated/types.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { longest } from '../../lib/longest.ts'
import { Form } from '../../ui/Form.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { type LoginValues, serversOf, useTheirServers } from './login-form.ts'
import { passwordPages } from './provider-help.ts'
import { ServerFields } from './ServerFields.tsx'

interface PasswordLoginProps {
  address: string
  provider: MailboxSuggestion['provider']
  firstValues: LoginValues
  /** Gets another login; undefined: it is added. */
  mailbox?: Mailbox | undefined
  /** Called once the mailbox has its login, which is to be tested now. */
  onDone: (mailbox: Mailbox) => void
}

/** With the provider's own words for the password that it wants. */
export function PasswordLogin(props: PasswordLoginProps) {
  const { address, provider, firstValues, mailbox, onDone } = props
  const { t } = useTranslation()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const [areServersShown, servers] = useDisclosure(firstValues.smtp.host === '')
  const missing = t(($) => $.mailboxes.login.missing)
  const form = useForm<LoginValues>({
    initialValues: firstValues,
    onValuesChange: idempotencyKey.renew,
    validate: {
      password: (value) => (value === '' ? t(($) => $.mailboxes.login.passwordMissing) : null),
      smtp: { host: isNotEmpty(missing) },
      imap: { host: isNotEmpty(missing) },
    },
  })
  const { fault, handlers } = useFormFault(form)
  useTheirServers(form, firstValues)
  const outcome = {
    ...handlers,
    onError(refused: ErrorBody) {
      if (refused.details?.some(({ path }) => /^\/(smtp|imap)/.test(path))) servers.open()
      handlers.onError(refused)
    },
    async onSuccess(saved: Mailbox) {
      cache.setQueryData(getMailboxQueryKey({ path: { id: saved.id } }), saved)
      await cache.invalidateQueries({ queryKey: listMailboxesInfiniteQueryKey() })
      void cache.invalidateQueries({ queryKey: suggestMailboxQueryKey({ query: { address } }) })
      form.setFieldValue('password', '')
    },
  }
  const add = useMutation({ ...addMailboxMutation(), ...outcome })
  const update = useMutation({ ...updateMailboxMutation(), ...outcome })
  const submit = form.onSubmit(
    (values) => {
      const onSuccess = (saved: Mailbox) => {
        form.resetDirty({ ...values, password: '' })
        onDone(saved)
      }
      // Whole, whatever became of the mailbox: a password goes to no server but the one shown with it.
      const logins = serversOf(values)
      if (mailbox) update.mutate({ path: { id: mailbox.id }, body: logins }, { onSuccess })
      else
        add.mutate(
          { headers: idempotencyKey.headers(), body: { address, ...logins } },
          { onSuccess },
        )
    },
    (errors) => (errors['smtp.host'] || errors['imap.host']) && servers.open(),
  )
  const page = passwordPages[provider]
  return (
    <Form onSubmit={submit} fault={fault}>
      <UnsavedGuard isUnsaved={form.isDirty} isSaving={add.isPending || update.isPending} />
      <Text size="sm" style={{ textWrap: 'pretty' }}>
        {t(($) => $.mailboxes.passwordHelp[provider])}{' '}
        {page && (
          <Anchor href={page} target="_blank" rel="noreferrer" size="sm">
            {t(($) => $.mailboxes.login.openPage)}
          </Anchor>
        )}
      </Text>
      <PasswordInput
        {...form.getInputProps('password')}
        label={t(($) => $.mailboxes.passwordName[provider])}
        autoComplete="new-password"
        maxLength={longest.password}
      />
      {areServersShown ? (
        <>
          <ServerFields form={form} side="smtp" />
          <ServerFields form={form} side="imap" />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          {t(($) => $.mailboxes.login.servers, {
            smtp: nameOf(form.getValues().smtp),
            imap: nameOf(form.getValues().imap),
          })}{' '}
          <Anchor component="button" type="button" size="sm" onClick={servers.open}>
            {t(($) => $.mailboxes.login.change)}
          </Anchor>
        </Text>
      )}
      <Group>
        <Button type="submit" loading={add.isPending || update.isPending}>
          {mailbox ? t(($) => $.mailboxes.login.save) : t(($) => $.mailboxes.login.submit)}
        </Button>
      </Group>
    </Form>
  )
}

/** With the port, which is wrong more often than the rest. */
const nameOf = ({ host, port }: { host: string; port: number | string }) => `${host}:${port}`
