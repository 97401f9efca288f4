import { ActionIcon, TextInput } from '@mantine/core'
import { Braces } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { longest } from '../../../lib/longest.ts'
import { useDraft } from '../useDraft.ts'
import { MarkedSubject } from './MarkedSubject.tsx'
import { VariableMenu } from './VariableMenu.tsx'

interface SubjectFieldProps {
  value: string
  hint: string | undefined
  problem: string | undefined
  unknown: string[]
  onChange: (subject: string) => void
}

/** A line of text with a menu of variables; what is filled in for each lead is marked below it. */
export function SubjectField({ value, hint, problem, unknown, onChange }: SubjectFieldProps) {
  const { t } = useTranslation()
  const { mayChange } = useDraft()
  const input = useRef<HTMLInputElement>(null)
  const insert = (name: string) => {
    const field = input.current
    if (!field) return
    // The field still knows where somebody wrote last.
    const end = field.value.length
    field.focus()
    field.setRangeText(`{{${name}}}`, field.selectionStart ?? end, field.selectionEnd ?? end, 'end')
    onChange(field.value)
  }
  return (
    <div>
      <TextInput
        ref={input}
        label={t(($) => $.campaigns.steps.subject)}
        description={hint}
        maxLength={longest.subject}
        readOnly={!mayChange}
        value={value}
        error={problem}
        onChange={(event) => onChange(event.currentTarget.value)}
        rightSection={
          mayChange && (
            <VariableMenu
              onInsert={insert}
              target={
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t(($) => $.campaigns.steps.insertInSubject)}
                  title={t(($) => $.campaigns.steps.insertInSubject)}
                >
                  <Braces size="1rem" aria-hidden />
                </ActionIcon>
              }
            />
          )
        }
      />
      <MarkedSubject subject={value} unknown={unknown} />
    </div>
  )
}
