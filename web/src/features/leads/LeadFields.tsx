import {
  Anchor,
  Button,
  Group,
  type InputWrapperProps,
  Text,
  Textarea,
  TextInput,
  Title,
} from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import {
  getLeadOverviewOptions,
  getLeadOverviewQueryKey,
} from '../../api/generated/@tanstack/react-query.gen.ts'
import { updateLead } from '../../api/generated/sdk.gen.ts'
import type { Lead, LeadChanges, LeadOverview } from '../../api/generated/types.gen.ts'
import { useFormFault } from '../../lib/form.ts'
import { longest } from '../../lib/longest.ts'
import { Form } from '../../ui/Form.tsx'
import { UnsavedGuard } from '../../ui/UnsavedGuard.tsx'
import { AddVariable } from './AddVariable.tsx'
import classes from './LeadPanel.module.css'

const fields = [
  ...(['first_name', 'last_name', 'company_name', 'job_title', 'company_domain'] as const),
  ...(['website', 'phone', 'personalization'] as const),
]

type Typed = Partial<Record<(typeof fields)[number], string>> & {
  custom_variables: Record<string, string>
}

const pathOf = (variable: string) => `custom_variables.${variable}`

/** As texts, by where the fields stand in the form. */
const storedIn = (lead: Lead) =>
  new Map<string, string>([
    ...fields.map((name) => [name, lead[name] ?? ''] as const),
    ...Object.entries(lead.custom_variables).map(
      ([name, value]) => [pathOf(name), String(value)] as const,
    ),
  ])

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

/** Enough to be known again: some fields hold a whole text. */
const shortened = (text: string) => {
  const letters = [...text]
  return letters.length > 60 ? `${letters.slice(0, 60).join('')}…` : text
}

const noticeBelow: InputWrapperProps['inputWrapperOrder'] = [
  ...(['label', 'input', 'description', 'error'] as const),
]

interface LeadFieldsProps {
  lead: Lead
  /** What the mails of its campaign say of it. */
  said: LeadOverview['variables']
  isReadOnly: boolean
}

/** What is known of a person, to be corrected. */
export function LeadFields({ lead, said, isReadOnly }: LeadFieldsProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  // Only what was typed: everything else is as the server last told, also while this is open.
  const form = useForm<Typed>({ initialValues: { custom_variables: {} } })
  const { fault, handlers } = useFormFault(form)
  const typed = form.values
  // One that was emptied is gone from the lead. Its field stays to be filled again, or for what is typed in it.
  const [emptied, setEmptied] = useState<string[]>([])
  const [added, setAdded] = useState<string[]>([])
  const isField = (name: string) => fields.some((field) => field === name)
  const asked = isReadOnly ? [] : said.map(({ name }) => name).filter((name) => !isField(name))
  const kept = new Set([...asked, ...emptied, ...added, ...Object.keys(typed.custom_variables)])
  const gone = [...kept].filter((name) => !Object.hasOwn(lead.custom_variables, name))
  const variables = [
    ...Object.entries(lead.custom_variables),
    ...gone.map((name) => [name, ''] as const),
  ]
  // A variable may be called `constructor`.
  const typedFor = (name: string) =>
    Object.hasOwn(typed.custom_variables, name) ? typed.custom_variables[name] : undefined
  const changed = fields.filter((name) => isChange(typed[name], lead[name]))
  const changedVariables = variables.filter(([name, value]) => isChange(typedFor(name), value))
  const paths = [...changed, ...changedVariables.map(([name]) => pathOf(name))]
  const isChanged = paths.length > 0
  const stored = storedIn(lead)
  // What a field had when somebody began to type in it: others may change it meanwhile.
  const [began, setBegan] = useState<ReadonlyMap<string, string | undefined>>(new Map())
  if (paths.length !== began.size || !paths.every((path) => began.has(path)))
    setBegan(new Map(paths.map((path) => [path, began.get(path) ?? stored.get(path)])))
  const path = { id: lead.id }
  const save = useMutation({
    ...handlers,
    /** Not before whoever saves has seen what somebody else made of the same fields. */
    async mutationFn(body: LeadChanges): Promise<Lead | undefined> {
      const overview = getLeadOverviewOptions({ path })
      const { lead: newest } = await cache.fetchQuery({ ...overview, staleTime: 0 })
      const now = storedIn(newest)
      if (paths.some((each) => now.get(each) !== stored.get(each))) return undefined
      return (await updateLead({ path, body })).data
    },
    onSuccess(answer) {
      if (!answer) return undefined
      const queryKey = getLeadOverviewQueryKey({ path })
      cache.setQueryData(queryKey, (known) => known && { ...known, lead: answer })
      form.reset()
      setEmptied([...kept])
      return cache.invalidateQueries({ queryKey })
    },
  })
  const missing = new Set(said.flatMap(({ name, is_missing }) => (is_missing ? [name] : [])))
  const notice = (name: string, at: string, takeTheirs: () => void) => {
    const value = stored.get(at)
    if (!began.has(at) || began.get(at) === value) {
      if (!missing.has(name)) return {}
      return {
        inputWrapperOrder: noticeBelow,
        description: (
          <Text span inherit c="var(--amber-text)">
            {t(($) => $.leads.panel.missing)}
          </Text>
        ),
      }
    }
    return {
      inputWrapperOrder: noticeBelow,
      description: (
        <Text span inherit c="var(--amber-text)">
          {value
            ? t(($) => $.leads.panel.madeMeanwhile, { value: shortened(value) })
            : t(($) => $.leads.panel.emptiedMeanwhile)}{' '}
          <Anchor component="button" type="button" size="xs" onClick={takeTheirs}>
            {t(($) => $.campaigns.conflict.keepTheirs)}
          </Anchor>
        </Text>
      ),
    }
  }
  const setVariable = (name: string, text: string) =>
    form.setFieldValue('custom_variables', { ...typed.custom_variables, [name]: text })
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
    save.mutate(body)
  })
  return (
    <section>
      <Title order={3} mb={4}>
        {t(($) => $.leads.panel.fields)}
      </Title>
      <Form onSubmit={submit} fault={fault}>
        <UnsavedGuard isUnsaved={() => isChanged} isSaving={save.isPending} staysBelowPanels />
        <div className={classes.fields}>
          {fields.map((name) => {
            const Input = inputFor(lead[name])
            return (
              <Input
                key={name}
                size="xs"
                label={t(($) => $.leads.fields[name])}
                maxLength={longest[name === 'personalization' ? 'personalization' : 'leadText']}
                readOnly={isReadOnly || save.isPending}
                {...form.getInputProps(name)}
                {...notice(name, name, () => form.setFieldValue(name, lead[name] ?? ''))}
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
                maxLength={longest.variableText}
                autoFocus={name === added.at(-1)}
                readOnly={isReadOnly || save.isPending}
                {...notice(name, pathOf(name), () => setVariable(name, String(value)))}
                value={typedFor(name) ?? String(value)}
                onChange={(event: { currentTarget: { value: string } }) =>
                  setVariable(name, event.currentTarget.value)
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
      {!isReadOnly && (
        <AddVariable
          known={[...fields, ...variables.map(([name]) => name)]}
          onAdd={(name) => setAdded([...added, name])}
        />
      )}
    </section>
  )
}
