import { Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  createInvitationMutation,
  listInvitationsQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { Form } from '../../ui/Form.tsx'
import { FormButtons } from '../../ui/FormButtons.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { isAtLeast, type Role, roles, useWorkspace } from '../users/index.ts'
import { InvitationLink } from './InvitationLink.tsx'

/** The form, and in its place the link once it is made. */
export function Invite({ onDone }: { onDone: () => void }) {
  const { t } = useTranslation()
  const { role: own } = useWorkspace()
  const cache = useQueryClient()
  const idempotencyKey = useIdempotencyKey()
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'member' },
    onValuesChange: idempotencyKey.renew,
    validate: {
      email: (email) => (email.includes('@') ? null : t(($) => $.setUp.emailMissing)),
    },
  })
  const { fault, handlers } = useFormFault(form)
  const invite = useMutation({
    ...createInvitationMutation(),
    ...handlers,
    // The link is shown at once, whatever becomes of the list.
    onSuccess: () => void cache.invalidateQueries({ queryKey: listInvitationsQueryKey() }),
  })

  if (invite.isSuccess) return <InvitationLink created={invite.data} onDone={onDone} />

  return (
    <Form
      onSubmit={form.onSubmit((body) => invite.mutate({ headers: idempotencyKey.headers(), body }))}
      fault={fault}
    >
      <UnsavedGuard isUnsaved={form.isDirty} isBusy={invite.isPending} />
      <TextInput
        {...form.getInputProps('email')}
        type="email"
        label={t(($) => $.signIn.email)}
        data-autofocus
        withAsterisk
      />
      <Radio.Group {...form.getInputProps('role')} label={t(($) => $.members.columns.role)}>
        <Stack gap="xs" mt="xs">
          {roles
            .filter((role) => isAtLeast(own, role))
            .map((role) => (
              <Radio
                key={role}
                value={role}
                label={t(($) => $.roles[role].name)}
                description={t(($) => $.roles[role].can)}
              />
            ))}
        </Stack>
      </Radio.Group>
      <FormButtons
        form={form}
        submit={t(($) => $.invitations.submit)}
        isBusy={invite.isPending}
        onCancel={onDone}
      />
    </Form>
  )
}
