import { generateJSON, getSchema } from '@tiptap/core'
import { withoutHandlers } from '../../lib/html.ts'
import { extensionsOf, type RichTextKind } from './extensions.ts'
import { htmlOf } from './html-of.ts'
import { fromEditor, normalHtml, toEditor } from './template-html.ts'

/** Whether the editor would give a mail back as it got it; else its source is what is edited. */
export function canEdit(html: string, kind: RichTextKind): boolean {
  if (html === '') return true
  if (withoutHandlers(html) !== html) return false
  try {
    const extensions = extensionsOf(kind)
    const written = getSchema(extensions).nodeFromJSON(
      generateJSON(toEditor(html, kind), extensions),
    )
    const back = fromEditor(htmlOf(written), kind)
    return normalHtml(back, kind) === normalHtml(html, kind)
  } catch {
    return false
  }
}
