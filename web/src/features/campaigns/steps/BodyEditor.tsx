import { Text } from '@mantine/core'
import { RichTextEditor } from '@mantine/tiptap'
import type { Editor } from '@tiptap/core'
import { Braces } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { HtmlEditor } from '../../../ui/RichText/HtmlEditor.tsx'
import { useDraft } from '../useDraft.ts'
import { VariableMenu } from './VariableMenu.tsx'

interface BodyEditorProps {
  value: string
  problem: string | undefined
  unknown: string[]
  onChange: (body: string) => void
}

/** A mail's text: as it looks, as it is written, and as a program without HTML shows it. */
export function BodyEditor({ value, problem, unknown, onChange }: BodyEditorProps) {
  const { t } = useTranslation()
  const { mayChange } = useDraft()
  return (
    <HtmlEditor
      kind="template"
      label={t(($) => $.campaigns.steps.body)}
      hint={t(($) => $.campaigns.steps.bodyHint, { example: '{{first_name | default: "there"}}' })}
      otherView="text"
      value={value}
      problem={problem}
      unknown={unknown}
      readOnly={!mayChange}
      onChange={onChange}
      tools={(editor) => (
        <RichTextEditor.ControlsGroup>
          <VariableMenu
            onInsert={(name) => insertVariable(editor, name)}
            target={
              <RichTextEditor.Control
                w="auto"
                px="xs"
                aria-label={t(($) => $.campaigns.steps.insert)}
                title={t(($) => $.campaigns.steps.insert)}
              >
                <Braces size="1rem" aria-hidden />
                <Text span size="xs" ml={4}>
                  {t(($) => $.campaigns.steps.variable)}
                </Text>
              </RichTextEditor.Control>
            }
          />
        </RichTextEditor.ControlsGroup>
      )}
    />
  )
}

const insertVariable = (editor: Editor, name: string) =>
  editor
    .chain()
    .focus()
    .insertContent({ type: 'variable', attrs: { expression: name } })
    .run()
