import { Button, Group, Text, Textarea, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import {
  getLeadOverviewQueryKey,
  updateLeadMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import type { Lead } from '../../api/generated/types.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { Form } from '../../ui/Form.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import classes from './LeadPanel.module.css'

const fields = [
  ...(['first_name', 'last_name', 'company_name', 'job_title', 'company_domain'] as const),
  ...(['website', 'phone', 'personalization'] as const),
]

type Typed = Partial<Record<(typeof fields)[number], string>> & {
  custom_variables: Record<string, string>
}

const isChange = (typed: string | undefined, stored: unknown) =>
  typed !== undefined && typed !== String(stored ?? '')

/** What was typed, as what is stored: to a condition in a mail the text `false` is true. */
function asStored(text: string, stored: unknown) {
  if (typeof stored === 'boolean' && /^(true|false)$/.test(text)) return text === 'true'
  const number = Number(text)
  const isNumber = Number.isFinite(number) && String(number) === text
  return typeof stored === 'number' && isNumber ? number : text
}

/** A field of one line would make one of several, and what is written with them would change. */
const inputFor = (stored: unknown) => (/[\r\n]/.test(String(stored)) ? Textarea : TextInput)

interface LeadFieldsProps {
  lead: Lead
  isReadOnly: boolean
}

/** What is known of a person, to be corrected. */
export function LeadFields({ lead, isReadOnly }: LeadFieldsProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const variables = Object.entries(lead.custom_variables)
  // Only what was typed: everything else is as the server last told, also while this is open.
  const form = useForm<Typed>({ initialValues: { custom_variables: {} } })
  const { fault, handlers } = useFormFault(form)
  const typed = form.values
  // A variable may be called `constructor`.
  const typedFor = (name: string) =>
    Object.hasOwn(typed.custom_variables, name) ? typed.custom_variables[name] : undefined
  const changed = fields.filter((name) => isChange(typed[name], lead[name]))
  const changedVariables = variables.filter(([name, value]) => isChange(typedFor(name), value))
  const isChanged = changed.length + changedVariables.length > 0
  const save = useMutation({
    ...updateLeadMutation(),
    ...handlers,
    onSuccess(answer) {
      const queryKey = getLeadOverviewQueryKey({ path: { id: lead.id } })
      cache.setQueryData(queryKey, (known) => known && { ...known, lead: answer })
      form.reset()
      return cache.invalidateQueries({ queryKey })
    },
  })
  const submit = form.onSubmit(() => {
    // An emptied one goes.
    const body = {
      ...Object.fromEntries(changed.map((name) => [name, typed[name] || null])),
      custom_variables: Object.fromEntries(
        changedVariables.map(([name, stored]) => {
          const text = typedFor(name)
          return [name, text ? asStored(text, stored) : null]
        }),
      ),
    }
    save.mutate({ path: { id: lead.id }, body })
  })
  return (
    <section>
      <Title order={3} mb={4}>
        {t(($) => $.leads.panel.fields)}
      </Title>
      <Form onSubmit={submit} fault={fault}>
        <UnsavedGuard isUnsaved={() => isChanged} staysBelowPanels />
        <div className={classes.fields}>
          {fields.map((name) => {
            const Input = inputFor(lead[name])
            return (
              <Input
                key={name}
                size="xs"
                label={t(($) => $.leads.fields[name])}
                maxLength={name === 'personalization' ? 10_000 : 1000}
                readOnly={isReadOnly || save.isPending}
                {...form.getInputProps(name)}
                value={typed[name] ?? lead[name] ?? ''}
              />
            )
          })}
          {variables.map(([name, value]) => {
            const Input = inputFor(value)
            return (
              <Input
                key={name}
                size="xs"
                label={name}
                maxLength={4000}
                readOnly={isReadOnly || save.isPending}
                value={typedFor(name) ?? String(value)}
                onChange={(event: { currentTarget: { value: string } }) =>
                  form.setFieldValue('custom_variables', {
                    ...typed.custom_variables,
                    [name]: event.currentTarget.value,
                  })
                }
              />
            )
          })}
        </div>
        {!isReadOnly && isChanged && (
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
