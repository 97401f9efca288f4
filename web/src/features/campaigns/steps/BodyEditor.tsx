import { useTranslation } from 'react-i18next'
import { HtmlEditor } from '../../../ui/RichText/HtmlEditor.tsx'
import { useDraft } from '../useDraft.ts'
import { VariableMenu } from './VariableMenu.tsx'

interface BodyEditorProps {
  value: string
  problem: string | undefined
  onChange: (body: string) => void
}

/** A mail's text: as it looks, as it is written, and as a program without HTML shows it. */
export function BodyEditor({ value, problem, onChange }: BodyEditorProps) {
  const { t } = useTranslation()
  const { mayChange } = useDraft()
  return (
    <HtmlEditor
      kind="template"
      label={t(($) => $.campaigns.steps.body)}
      hint={t(($) => $.campaigns.steps.bodyHint)}
      otherView="text"
      value={value}
      problem={problem}
      readOnly={!mayChange}
      onChange={onChange}
      tools={(editor) => <VariableMenu editor={editor} />}
    />
  )
}
