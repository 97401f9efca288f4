import type { Editor } from '@tiptap/core'
import { type RefObject, useImperativeHandle, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { RichText } from '../../ui/RichText/RichText.tsx'

/** Lets the keyboard shortcuts of the inbox focus the reply. */
export interface FocusHandle {
  focus: () => void
}

interface ReplyTextProps {
  value: string
  placeholder: string
  inputRef: RefObject<FocusHandle | null>
  /** Somebody asked for the focus before the editor was there. */
  isFocusWanted: RefObject<boolean>
  onChange: (html: string) => void
  onSend: () => void
  onLeave: () => void
}

/** An answer as it will look; ⌘⏎ or Ctrl ⏎ sends it. */
export function ReplyText(props: ReplyTextProps) {
  const { value, placeholder, inputRef, isFocusWanted, onChange, onSend, onLeave } = props
  const { t } = useTranslation()
  const editor = useRef<Editor>(undefined)
  useImperativeHandle(inputRef, () => ({
    focus() {
      if (editor.current) focusAtEnd(editor.current)
      else isFocusWanted.current = true
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
        if (isFocusWanted.current) focusAtEnd(created)
        isFocusWanted.current = false
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
