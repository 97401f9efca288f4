import type { Editor } from '@tiptap/core'
import { type RefObject, useImperativeHandle, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { RichText } from '../../ui/RichText/RichText.tsx'

/** What the keys of the inbox write in. */
export interface Writable {
  focus: () => void
}

interface ReplyTextProps {
  value: string
  placeholder: string
  inputRef: RefObject<Writable | null>
  /** Somebody asked for it before it was there. */
  wanted: RefObject<boolean>
  onChange: (html: string) => void
  onSend: () => void
  onLeave: () => void
}

/** An answer as it will look; ⌘⏎ or Ctrl ⏎ sends it. */
export function ReplyText(props: ReplyTextProps) {
  const { value, placeholder, inputRef, wanted, onChange, onSend, onLeave } = props
  const { t } = useTranslation()
  const editor = useRef<Editor>(undefined)
  useImperativeHandle(inputRef, () => ({
    focus() {
      if (editor.current) focusAtEnd(editor.current)
      else wanted.current = true
    },
  }))
  return (
    <RichText
      kind="plain"
      label={t(($) => $.inbox.reply)}
      placeholder={placeholder}
      value={value}
      readOnly={false}
      isCompact
      onChange={onChange}
      onReady={(created) => {
        editor.current = created
        if (wanted.current) focusAtEnd(created)
        wanted.current = false
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onLeave()
        else if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) onSend()
        else return false
        event.preventDefault()
        return true
      }}
    />
  )
}

// At once, unlike the editor's own command: what is typed next must not be taken for keys of the inbox.
function focusAtEnd(editor: Editor) {
  editor.commands.setTextSelection(editor.state.doc.content.size)
  editor.view.focus()
}
