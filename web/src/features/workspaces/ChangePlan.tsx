import { Drawer, Stack, Switch, Text } from '@mantine/core'
import { isNotEmpty, useForm } from '@mantine/form'
import { notifications } from '@mantine/notifications'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  getUsageQueryKey,
  getWorkspaceQueryKey,
  setPlanMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Workspace } from '../../api/generated/types.gen.ts'
import { changeOf, useFormFault, useTheirChanges } from '../../lib/form.ts'
import { Form } from '../../ui/Form.tsx'
import { FormButtons } from '../../ui/FormButtons.tsx'
import { NumberField } from '../../ui/NumberField.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'

interface ChangePlanProps {
  workspace: Workspace
  onDone: () => void
}

/** For the operator: which parts of the service a workspace has, and how much of it. */
export function ChangePlan({ workspace, onDone }: ChangePlanProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const form = useForm<PlanValues>({
    initialValues: valuesOf(workspace),
    validate: {
      plan_rate: isNotEmpty(t(($) => $.workspace.wholeNumber)),
      plan_monthly_credits: isNotEmpty(t(($) => $.workspace.wholeNumber)),
    },
  })
  const { fault, handlers } = useFormFault(form)
  useTheirChanges(form, valuesOf(workspace))
  const change = useMutation({
    ...setPlanMutation(),
    ...handlers,
    async onSuccess(changed) {
      cache.setQueryData(getWorkspaceQueryKey(), changed)
      await cache.invalidateQueries({ queryKey: getUsageQueryKey() })
      notifications.show({ message: t(($) => $.common.saved) })
    },
  })
  const save = form.onSubmit((values) => {
    const body = changeOf(bodyOf(values), bodyOf(form.getInitialValues()))
    change.mutate(
      { path: { id: workspace.id }, body },
      {
        onSuccess() {
          form.resetDirty(values)
          onDone()
        },
      },
    )
  })
  const isOn = (name: keyof PlanValues) => form.getInputProps(name, { type: 'checkbox' })
  return (
    <Drawer
      opened
      onClose={onDone}
      title={t(($) => $.workspace.planTitle, { name: workspace.name })}
    >
      <Form onSubmit={save} fault={fault}>
        <UnsavedGuard isUnsaved={form.isDirty} isSaving={change.isPending} />
        <Text size="sm" c="dimmed">
          {t(($) => $.workspace.planHint)}
        </Text>
        <Stack gap="xs">
          <Switch {...isOn('plan_api')} label={t(($) => $.workspace.parts.api)} />
          <Switch {...isOn('plan_webhooks')} label={t(($) => $.workspace.parts.webhooks)} />
          <Switch {...isOn('plan_acquisition')} label={t(($) => $.workspace.parts.acquisition)} />
          <Switch
            {...isOn('leadbank_scope_required')}
            label={t(($) => $.workspace.scopeRequired)}
          />
        </Stack>
        <NumberField
          {...form.getInputProps('plan_leads_max')}
          min={0}
          label={t(($) => $.workspace.leadsMax)}
          description={t(($) => $.workspace.leadsMaxHint)}
        />
        <NumberField
          {...form.getInputProps('plan_rate')}
          min={0}
          label={t(($) => $.workspace.requests)}
          description={t(($) => $.workspace.unlimitedHint)}
        />
        <NumberField
          {...form.getInputProps('plan_monthly_credits')}
          min={0}
          label={t(($) => $.workspace.credits)}
        />
        <FormButtons
          form={form}
          submit={t(($) => $.common.save)}
          isBusy={change.isPending}
          onCancel={onDone}
        />
      </Form>
    </Drawer>
  )
}

type Parts = 'plan_api' | 'plan_webhooks' | 'plan_acquisition' | 'leadbank_scope_required'

interface PlanValues extends Pick<Workspace, Parts> {
  plan_rate: number | ''
  /** Empty: unlimited. */
  plan_leads_max: number | ''
  plan_monthly_credits: number | ''
}

const valuesOf = (workspace: Workspace): PlanValues => ({
  plan_api: workspace.plan_api,
  plan_webhooks: workspace.plan_webhooks,
  plan_acquisition: workspace.plan_acquisition,
  leadbank_scope_required: workspace.leadbank_scope_required,
  plan_rate: workspace.plan_rate,
  plan_leads_max: workspace.plan_leads_max ?? '',
  plan_monthly_credits: workspace.plan_monthly_credits,
})

const bodyOf = ({ plan_rate, plan_leads_max, plan_monthly_credits, ...parts }: PlanValues) => ({
  ...parts,
  plan_rate: Number(plan_rate),
  plan_leads_max: plan_leads_max === '' ? null : plan_leads_max,
  plan_monthly_credits: Number(plan_monthly_credits),
})
