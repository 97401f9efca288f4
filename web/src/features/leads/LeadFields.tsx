import { Button, Group, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Fault } from '../../api/fault.ts'
import {
  getLeadOverviewQueryKey,
  updateLeadMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Lead } from '../../api/generated/types.gen.ts'
import { showFault } from '../../lib/form.ts'
import { Form } from '../../ui/Form.tsx'
import classes from './LeadPanel.module.css'

const fields = [
  ...(['first_name', 'last_name', 'company_name', 'job_title', 'company_domain'] as const),
  ...(['website', 'phone', 'personalization'] as const),
]

interface LeadFieldsProps {
  lead: Lead
  isReadOnly: boolean
}

/** What is known of a person, to be corrected. */
export function LeadFields({ lead, isReadOnly }: LeadFieldsProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [fault, setFault] = useState<Fault>()
  const variables = Object.entries(lead.custom_variables)
  const form = useForm({
    initialValues: {
      ...(Object.fromEntries(fields.map((name) => [name, lead[name] ?? ''])) as Record<
        (typeof fields)[number],
        string
      >),
      custom_variables: Object.fromEntries(variables.map(([name, value]) => [name, String(value)])),
    },
  })
  const save = useMutation({
    ...updateLeadMutation(),
    onSuccess: () =>
      cache.invalidateQueries({ queryKey: getLeadOverviewQueryKey({ path: { id: lead.id } }) }),
    onError: (error) => setFault(showFault(form, error)),
  })
  const submit = form.onSubmit(({ custom_variables, ...texts }) => {
    const changed = Object.entries(custom_variables).filter(
      ([name, value]) => value !== String(lead.custom_variables[name]),
    )
    const body = {
      ...Object.fromEntries(fields.map((name) => [name, texts[name] || null])),
      // A number stays one where it is not touched; an emptied one goes.
      custom_variables: Object.fromEntries(changed.map(([name, value]) => [name, value || null])),
    }
    setFault(undefined)
    save.mutate({ path: { id: lead.id }, body })
  })
  return (
    <section>
      <Title order={3} mb={4}>
        {t(($) => $.leads.panel.fields)}
      </Title>
      <Form onSubmit={submit} fault={fault}>
        <div className={classes.fields}>
          {fields.map((name) => (
            <TextInput
              key={name}
              size="xs"
              label={t(($) => $.leads.fields[name])}
              readOnly={isReadOnly}
              {...form.getInputProps(name)}
            />
          ))}
          {variables.map(([name]) => (
            <TextInput
              key={name}
              size="xs"
              label={name}
              readOnly={isReadOnly}
              value={form.values.custom_variables[name] ?? ''}
              onChange={(event) =>
                form.setFieldValue('custom_variables', {
                  ...form.values.custom_variables,
                  [name]: event.currentTarget.value,
                })
              }
            />
          ))}
        </div>
        {!isReadOnly && form.isDirty() && (
          <Group justify="flex-end">
            <Button type="submit" size="xs" loading={save.isPending}>
              {t(($) => $.common.save)}
            </Button>
          </Group>
        )}
        {isReadOnly && variables.length === 0 && (
          <Text size="xs" c="dimmed">
            {t(($) => $.leads.panel.noVariables)}
          </Text>
        )}
      </Form>
    </section>
  )
}
