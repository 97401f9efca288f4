import { Button, Group, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Form } from '../../ui/Form.tsx'

interface AddVariableProps {
  /** Names that the lead has a field for already. */
  known: string[]
  onAdd: (name: string) => void
}

/** What a name must be for a text to say it. */
const sayable = /^[\p{L}_][\p{L}\p{N}_-]*$/u

/** Names one more variable, whose field is then filled in with the others. */
export function AddVariable({ known, onAdd }: AddVariableProps) {
  const { t } = useTranslation()
  const [name, setName] = useState<string>()
  if (name === undefined) {
    return (
      <Button variant="subtle" size="compact-xs" mt="xs" onClick={() => setName('')}>
        {t(($) => $.leads.panel.addVariable)}
      </Button>
    )
  }
  const trimmed = name.trim()
  const isKnown = known.includes(trimmed)
  const isSayable = trimmed === '' || sayable.test(trimmed)
  return (
    <Form
      fault={null}
      onSubmit={(event) => {
        event?.preventDefault()
        if (trimmed === '' || isKnown || !isSayable) return
        onAdd(trimmed)
        setName(undefined)
      }}
    >
      <Group align="flex-start" gap="xs" mt="xs">
        <TextInput
          size="xs"
          autoFocus
          aria-label={t(($) => $.leads.panel.variableName)}
          placeholder={t(($) => $.leads.panel.variableName)}
          maxLength={64}
          value={name}
          error={
            isKnown
              ? t(($) => $.leads.panel.variableKnown)
              : !isSayable && t(($) => $.leads.panel.variableUnsayable)
          }
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" size="xs" variant="default">
          {t(($) => $.leads.panel.add)}
        </Button>
      </Group>
    </Form>
  )
}
