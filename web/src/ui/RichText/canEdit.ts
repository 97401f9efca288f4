import { generateHTML, generateJSON } from '@tiptap/core'
import { withoutHandlers } from '../../lib/html.ts'
import { extensionsOf, type RichTextKind } from './extensions.ts'
import { fromEditor, normalHtml, toEditor } from './template-html.ts'

/** Whether the editor would give a mail back as it got it; else its source is what is edited. */
export function canEdit(html: string, kind: RichTextKind): boolean {
  if (html === '') return true
  if (withoutHandlers(html) !== html) return false
  try {
    const document = generateJSON(toEditor(html, kind), extensionsOf(kind))
    const back = fromEditor(generateHTML(document, extensionsOf(kind)), kind)
    return normalHtml(back, kind) === normalHtml(html, kind)
  } catch {
    return false
  }
}
