import { TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { longest } from '../../lib/longest.ts'

interface VariableNameProps {
  heading: string
  value: string
  /** Why the last one was refused. */
  error: string | undefined
  onChange: (name: string) => void
}

/** What mails call a column; once it is left it shows what the server keeps. */
export function VariableName({ heading, value, error, onChange }: VariableNameProps) {
  const { t } = useTranslation()
  const [typed, setTyped] = useState<string>()
  const [isEmptied, setEmptied] = useState(false)
  return (
    <TextInput
      size="xs"
      mt={4}
      maxLength={longest.variableName}
      aria-label={t(($) => $.imports.variableName, { heading })}
      leftSection="{{"
      rightSection="}}"
      value={typed ?? value}
      error={isEmptied ? t(($) => $.imports.variableNameMissing) : error}
      onChange={(event) => {
        setEmptied(false)
        setTyped(event.currentTarget.value)
      }}
      // Left as it was it changes nothing: another mapping is checked anew.
      onBlur={() => {
        setTyped(undefined)
        const isNone = typed?.trim() === ''
        setEmptied(isNone)
        if (typed !== undefined && !isNone && typed !== value) onChange(typed)
      }}
    />
  )
}
