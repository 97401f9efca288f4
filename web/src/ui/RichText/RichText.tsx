import '@mantine/tiptap/styles.css'
import { RichTextEditor } from '@mantine/tiptap'
import type { Editor } from '@tiptap/core'
import { DOMParser as SliceParser } from '@tiptap/pm/model'
import { useEditor } from '@tiptap/react'
import { ImagePlus } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { styleNonce } from '../../lib/nonce.ts'
import { mailExtensions } from './extensions.ts'
import classes from './RichText.module.css'
import { toEditor, toTemplate } from './template-html.ts'

interface RichTextProps {
  label: string
  value: string
  readOnly: boolean
  onChange: (value: string) => void
  /** More for the toolbar. */
  tools?: (editor: Editor) => ReactNode
}

/** A mail as it will look, with {{variables}} as chips and {alternatives|choices} marked. */
export function RichText({ label, value, readOnly, onChange, tools }: RichTextProps) {
  const { t } = useTranslation()
  const shown = useRef(value)
  const editor = useEditor({
    extensions: mailExtensions,
    content: toEditor(value),
    editable: !readOnly,
    injectNonce: styleNonce(),
    editorProps: {
      attributes: { 'aria-label': label, role: 'textbox', 'aria-multiline': 'true' },
      // A line that was single-spaced elsewhere stays so; a blank line begins a paragraph.
      clipboardTextParser: (text, context, _plain, view) => {
        const holder = document.createElement('div')
        for (const paragraph of text.replaceAll('\r\n', '\n').split(/\n{2,}/)) {
          const element = document.createElement('p')
          for (const [index, line] of paragraph.split('\n').entries()) {
            if (index > 0) element.append(document.createElement('br'))
            element.append(line)
          }
          holder.append(element)
        }
        return SliceParser.fromSchema(view.state.schema).parseSlice(holder, {
          preserveWhitespace: true,
          context,
        })
      },
    },
    onUpdate({ editor: changed }) {
      shown.current = changed.isEmpty ? '' : toTemplate(changed.getHTML())
      onChange(shown.current)
    },
  })
  // Somebody else's version was taken over.
  useEffect(() => {
    if (!editor || value === shown.current) return
    shown.current = value
    editor.commands.setContent(toEditor(value), { emitUpdate: false })
  }, [editor, value])
  const addImage = () => {
    const src = prompt(t(($) => $.richText.imageAddress))
    if (src && /^https?:\/\//i.test(src)) editor?.chain().focus().setImage({ src }).run()
  }
  return (
    <RichTextEditor editor={editor}>
      {!readOnly && (
        <RichTextEditor.Toolbar>
          <RichTextEditor.ControlsGroup>
            <RichTextEditor.Bold />
            <RichTextEditor.Italic />
            <RichTextEditor.Underline />
            <RichTextEditor.ClearFormatting />
          </RichTextEditor.ControlsGroup>
          <RichTextEditor.ControlsGroup>
            <RichTextEditor.BulletList />
            <RichTextEditor.OrderedList />
            <RichTextEditor.Link />
            <RichTextEditor.Unlink />
            <RichTextEditor.Control
              onClick={addImage}
              aria-label={t(($) => $.richText.image)}
              title={t(($) => $.richText.image)}
            >
              <ImagePlus size="1rem" aria-hidden />
            </RichTextEditor.Control>
          </RichTextEditor.ControlsGroup>
          <RichTextEditor.ControlsGroup>
            <RichTextEditor.Undo />
            <RichTextEditor.Redo />
          </RichTextEditor.ControlsGroup>
          {editor && tools?.(editor)}
        </RichTextEditor.Toolbar>
      )}
      <RichTextEditor.Content className={classes.content} />
    </RichTextEditor>
  )
}
