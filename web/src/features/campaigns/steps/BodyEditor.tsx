import { Group, SegmentedControl, Text, Textarea } from '@mantine/core'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { canEdit } from '../../../ui/RichText/canEdit.ts'
import { RichText } from '../../../ui/RichText/RichText.tsx'
import { plainText } from '../../../ui/RichText/template-html.ts'
import { useDraft } from '../useDraft.ts'
import classes from './StepsTab.module.css'
import { VariableMenu } from './VariableMenu.tsx'

interface BodyEditorProps {
  value: string
  problem: string | undefined
  onChange: (body: string) => void
}

const views = ['rich', 'source', 'text'] as const
type View = (typeof views)[number]

/** A mail's text: as it looks, as it is written, and as a program without HTML shows it. */
export function BodyEditor({ value, problem, onChange }: BodyEditorProps) {
  const { t } = useTranslation()
  const { mayChange } = useDraft()
  const [isEditable, setEditable] = useState(() => canEdit(value))
  const [view, setView] = useState<View>(isEditable ? 'rich' : 'source')
  // What it wrote itself it can show; a version of somebody else is looked at before it gets it.
  const written = useRef(value)
  const canShow = useMemo(
    () => view !== 'rich' || value === written.current || canEdit(value),
    [view, value],
  )
  if (!canShow) {
    setEditable(false)
    setView('source')
  }
  const show = (chosen: View) => {
    // What the editor cannot give back unchanged it must not get.
    if (chosen === 'rich' && !canEdit(value)) return setEditable(false)
    setEditable(true)
    setView(chosen)
  }
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={500}>
          {t(($) => $.campaigns.steps.body)}
        </Text>
        <SegmentedControl
          transitionDuration={0}
          size="xs"
          aria-label={t(($) => $.campaigns.steps.view)}
          value={view}
          onChange={(chosen) => show(chosen as View)}
          data={views.map((each) => ({
            value: each,
            label: t(($) => $.campaigns.steps.views[each]),
          }))}
        />
      </Group>
      {!isEditable && (
        <Text size="xs" c="var(--amber-text)" mb={4}>
          {t(($) => $.campaigns.steps.sourceOnly)}
        </Text>
      )}
      {view === 'rich' && (
        <RichText
          label={t(($) => $.campaigns.steps.body)}
          value={value}
          readOnly={!mayChange}
          onChange={(body) => {
            written.current = body
            onChange(body)
          }}
          tools={(editor) => <VariableMenu editor={editor} />}
        />
      )}
      {view === 'source' && (
        <Textarea
          aria-label={t(($) => $.campaigns.steps.source)}
          autosize
          minRows={12}
          maxRows={30}
          readOnly={!mayChange}
          value={value}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
      {view === 'text' && <pre className={classes.text}>{plainText(value)}</pre>}
      {problem && (
        <Text size="sm" c="var(--red-text)" mt={4} role="alert">
          {problem}
        </Text>
      )}
      <Text size="xs" c="dimmed" mt={4}>
        {t(($) => $.campaigns.steps.bodyHint)}
      </Text>
    </div>
  )
}
