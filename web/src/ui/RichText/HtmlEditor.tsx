import { Group, Input, SegmentedControl, Text, Textarea } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { Editor } from '@tiptap/core'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { MailFrame } from '../MailFrame.tsx'
import { canEdit } from './canEdit.ts'
import type { RichTextKind } from './extensions.ts'
import classes from './HtmlEditor.module.css'
import { problemOfPaste } from './problem-of-paste.ts'
import { RichText } from './RichText.tsx'
import { plainText } from './template-html.ts'

const views = ['rich', 'source', 'text', 'sent'] as const
type View = (typeof views)[number]

interface HtmlEditorProps {
  kind: RichTextKind
  label: string
  hint: string
  /** How it can be looked at besides. */
  otherView: 'text' | 'sent'
  value: string
  problem: ReactNode
  readOnly: boolean
  onChange: (html: string) => void
  unknown?: string[]
  tools?: (editor: Editor) => ReactNode
}

/** HTML of a mail: as it looks, as it is written, and as its reader gets it. */
export function HtmlEditor(props: HtmlEditorProps) {
  const { kind, label, hint, otherView, value, problem, readOnly, onChange, unknown, tools } = props
  const { t } = useTranslation()
  const [isEditable, setEditable] = useState(() => canEdit(value, kind))
  const [view, setView] = useState<View>(isEditable ? 'rich' : 'source')
  // What it wrote itself it can show; a version of somebody else is looked at before it gets it.
  const written = useRef(value)
  const canShow = useMemo(
    () => view !== 'rich' || value === written.current || canEdit(value, kind),
    [view, value, kind],
  )
  if (!canShow) {
    setEditable(false)
    setView('source')
  }
  const show = (chosen: View) => {
    // What the editor cannot give back unchanged it must not get.
    if (chosen === 'rich' && !canEdit(value, kind)) return setEditable(false)
    setEditable(true)
    setView(chosen)
  }
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Input.Label labelElement="div">{label}</Input.Label>
        <SegmentedControl
          transitionDuration={0}
          size="xs"
          aria-label={t(($) => $.richText.view)}
          value={view}
          onChange={(chosen) => show(chosen as View)}
          data={(['rich', 'source', otherView] as const).map((each) => ({
            value: each,
            label: t(($) => $.richText.views[each]),
          }))}
        />
      </Group>
      {!isEditable && (
        <Text size="xs" c="var(--amber-text)" mb={4}>
          {t(($) => $.richText.sourceOnly)}
        </Text>
      )}
      {view === 'rich' && (
        <RichText
          kind={kind}
          label={label}
          value={value}
          readOnly={readOnly}
          onChange={(html) => {
            written.current = html
            onChange(html)
          }}
          isCompact={kind === 'plain'}
          {...(unknown ? { unknown } : {})}
          {...(tools ? { tools } : {})}
        />
      )}
      {view === 'source' && (
        <Textarea
          aria-label={t(($) => $.richText.sources[kind])}
          autosize
          minRows={kind === 'plain' ? 3 : 12}
          maxRows={30}
          readOnly={readOnly}
          value={value}
          onPaste={(event) => {
            if (problemOfPaste(event.clipboardData) !== 'tooLong') return
            event.preventDefault()
            notifications.show({ color: 'red', message: t(($) => $.richText.tooLong) })
          }}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      )}
      {view === 'text' && <pre className={classes.text}>{plainText(value)}</pre>}
      {view === 'sent' && <MailFrame title={label} html={value} />}
      {problem && (
        <Text size="sm" c="var(--red-text)" mt={4} role="alert">
          {problem}
        </Text>
      )}
      <Text size="xs" c="dimmed" mt={4}>
        {hint}
      </Text>
    </div>
  )
}
