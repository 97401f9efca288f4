import '@mantine/tiptap/styles.css'
import { notifications } from '@mantine/notifications'
import { RichTextEditor } from '@mantine/tiptap'
import type { Editor } from '@tiptap/core'
import { DOMParser as SliceParser } from '@tiptap/pm/model'
import { useEditor } from '@tiptap/react'
import { ImagePlus } from 'lucide-react'
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { styleNonce } from '../../lib/nonce.ts'
import { extensionsOf, type RichTextKind } from './extensions.ts'
import { htmlOf } from './html-of.ts'
import { ImageDialog, type ImageText } from './ImageDialog.tsx'
import { pastedHtml } from './pasted-html.ts'
import { problemOfPaste } from './problem-of-paste.ts'
import classes from './RichText.module.css'
import { fromEditor, toEditor } from './template-html.ts'

interface RichTextProps {
  kind: RichTextKind
  label: string
  value: string
  readOnly: boolean
  onChange: (value: string) => void
  /** Variables that look wrong, as they stand between the braces. */
  unknown?: string[]
  /** More for the toolbar. */
  tools?: (editor: Editor) => ReactNode
  /** As low as what is written, for where a mail is shown above. */
  isCompact?: boolean
  placeholder?: string
  /** Once it can be written in. */
  onReady?: (editor: Editor) => void
  /** @returns whether the key has done something else than to write */
  onKeyDown?: (event: KeyboardEvent) => boolean
}

/** A mail as it will look; in a template with {{variables}} as chips and {alternatives|choices} marked. */
export function RichText(props: RichTextProps) {
  const { kind, label, value, readOnly, onChange, unknown, tools, isCompact, placeholder } = props
  const { t } = useTranslation()
  const shown = useRef(value)
  const latest = useRef(props)
  latest.current = props
  const editor = useEditor({
    extensions: extensionsOf(kind, (name) => latest.current.unknown?.includes(name) ?? false),
    content: toEditor(value, kind),
    editable: !readOnly,
    injectNonce: styleNonce(),
    editorProps: {
      attributes: {
        ...{ 'aria-label': label, role: 'textbox', 'aria-multiline': 'true' },
        ...(placeholder ? { 'data-placeholder': placeholder } : {}),
      },
      handleKeyDown: (_view, event) => latest.current.onKeyDown?.(event) ?? false,
      handlePaste(_view, { clipboardData }) {
        const problem = problemOfPaste(clipboardData)
        if (problem) notifications.show({ color: 'red', message: t(($) => $.richText[problem]) })
        return problem !== undefined
      },
      transformPastedHTML(html) {
        const pasted = pastedHtml(html)
        if (pasted.lacksImage) {
          notifications.show({ color: 'red', message: t(($) => $.richText.imageLeftOut) })
        }
        return pasted.html
      },
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
    onCreate: ({ editor: created }) => latest.current.onReady?.(created),
    onUpdate({ editor: changed }) {
      shown.current = changed.isEmpty ? '' : fromEditor(htmlOf(changed.state.doc), kind)
      onChange(shown.current)
    },
  })
  // Somebody else's version was taken over.
  useEffect(() => {
    if (!editor || value === shown.current) return
    shown.current = value
    editor.commands.setContent(toEditor(value, kind), { emitUpdate: false })
  }, [editor, value, kind])
  // Nothing of it was written: it is only drawn anew.
  const unknownNames = unknown?.join('\n')
  useEffect(() => {
    if (unknownNames !== undefined) editor?.view.dispatch(editor.state.tr)
  }, [editor, unknownNames])
  // Before the library lets go of it, which draws all of it once more, with images of the page itself.
  useLayoutEffect(() => () => editor?.destroy(), [editor])
  const [image, setImage] = useState<ImageText>()
  const askForImage = () => {
    // One that was clicked is changed.
    const { src, alt } = editor?.isActive('image') ? editor.getAttributes('image') : {}
    setImage({ src: src ?? '', alt: alt ?? '' })
  }
  const saveImage = (saved: ImageText) => {
    const change = editor?.chain().focus()
    if (image?.src) change?.updateAttributes('image', saved).run()
    else change?.setImage(saved).run()
  }
  const labels = t(($) => $.richText.tools, { returnObjects: true })
  return (
    <RichTextEditor
      editor={editor}
      labels={labels}
      // The library tells it by a tooltip alone.
      attributes={{ linkEditorExternalControl: { 'aria-label': labels.linkEditorExternalLink } }}
      className={isCompact ? classes.compact : undefined}
    >
      {!readOnly && (
        <RichTextEditor.Toolbar className={classes.toolbar}>
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
              onClick={askForImage}
              aria-label={t(($) => $.richText.image)}
              title={t(($) => $.richText.image)}
            >
              <ImagePlus size="1rem" aria-hidden />
            </RichTextEditor.Control>
          </RichTextEditor.ControlsGroup>
          {!isCompact && (
            <RichTextEditor.ControlsGroup>
              <RichTextEditor.Undo />
              <RichTextEditor.Redo />
            </RichTextEditor.ControlsGroup>
          )}
          {editor && tools?.(editor)}
        </RichTextEditor.Toolbar>
      )}
      <RichTextEditor.Content className={classes.content} />
      {image && (
        <ImageDialog image={image} onSave={saveImage} onClose={() => setImage(undefined)} />
      )}
    </RichTextEditor>
  )
}
