import { NativeSelect, Radio, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import {
  createCampaignMutation,
  duplicateCampaignMutation,
  listCampaignSummariesInfiniteQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { useIdempotencyKey } from '../../lib/idempotency-key.ts'
import { longest } from '../../lib/longest.ts'
import { Form } from '../../ui/Form.tsx'
import { FormButtons } from '../../ui/FormButtons.tsx'
import { QueryFault } from '../../ui/QueryFault.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { useCampaigns } from '../leads/index.ts'
import { useWorkspace } from '../users/index.ts'
import { oneMail, useFirstDraft } from './first-draft.ts'

const starts = ['one', 'blank', 'copy'] as const
type Start = (typeof starts)[number]

/** A draft: empty, with one mail to write, or like another campaign. */
export function NewCampaign({ onCancel }: { onCancel: () => void }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const { handle } = useWorkspace()
  const idempotencyKey = useIdempotencyKey()
  const firstDraft = useFirstDraft()
  const { campaigns: others, query, notRead } = useCampaigns()
  const form = useForm({
    initialValues: { name: '', start: 'one' as Start, source: '' },
    onValuesChange: idempotencyKey.renew,
    validate: {
      name: (name, { start }) =>
        start !== 'copy' && name.trim() === '' ? t(($) => $.campaigns.form.nameMissing) : null,
      source: (source, { start }) =>
        start === 'copy' && source === '' ? t(($) => $.campaigns.form.sourceMissing) : null,
    },
  })
  const { fault, handlers } = useFormFault(form)
  const outcome = {
    ...handlers,
    onSuccess: () => cache.invalidateQueries({ queryKey: listCampaignSummariesInfiniteQueryKey() }),
  }
  const follow = {
    onSuccess({ id }: { id: string }) {
      form.resetDirty()
      // Back leads to the list: the form would be there again, and blank.
      void navigate({ to: '/w/$handle/campaigns/$id', params: { handle, id }, replace: true })
    },
  }
  const create = useMutation({ ...createCampaignMutation(), ...outcome })
  const duplicate = useMutation({ ...duplicateCampaignMutation(), ...outcome })
  const submit = form.onSubmit(({ name, start, source }) => {
    const headers = idempotencyKey.headers()
    if (start === 'copy') return duplicate.mutate({ headers, path: { id: source } }, follow)
    create.mutate({ headers, body: firstDraft(name, start === 'one' ? oneMail : []) }, follow)
  })
  const { start } = form.getValues()
  return (
    <Form onSubmit={submit} fault={fault}>
      <UnsavedGuard isUnsaved={form.isDirty} isSaving={create.isPending || duplicate.isPending} />
      <Radio.Group
        label={t(($) => $.campaigns.form.start)}
        value={start}
        onChange={(value) => form.setFieldValue('start', value as Start)}
      >
        <Stack gap="xs" mt="xs">
          {starts.map((value) => (
            <Radio
              key={value}
              value={value}
              label={t(($) => $.campaigns.form[value])}
              description={t(($) => $.campaigns.form[`${value}Hint`])}
            />
          ))}
        </Stack>
      </Radio.Group>
      {start === 'copy' ? (
        <>
          <QueryFault query={query} />
          <NativeSelect
            {...form.getInputProps('source')}
            label={t(($) => $.campaigns.form.source)}
            description={
              query.error
                ? undefined
                : (notRead ?? (others.size === 0 ? t(($) => $.campaigns.form.noSource) : undefined))
            }
            data={[
              { value: '', label: '' },
              ...[...others].map(([value, label]) => ({ value, label })),
            ]}
          />
        </>
      ) : (
        <TextInput
          {...form.getInputProps('name')}
          label={t(($) => $.campaigns.form.name)}
          description={t(($) => $.campaigns.form.nameHint)}
          maxLength={longest.name}
          data-autofocus
          withAsterisk
        />
      )}
      <FormButtons
        form={form}
        submit={t(($) => $.campaigns.form.submit)}
        isBusy={create.isPending || duplicate.isPending}
        onCancel={onCancel}
      />
    </Form>
  )
}
