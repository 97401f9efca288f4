import { generateHTML, generateJSON } from '@tiptap/core'
import { withoutHandlers } from '../../lib/html.ts'
import { mailExtensions } from './extensions.ts'
import { normalHtml, toEditor, toTemplate } from './template-html.ts'

/** Whether the editor would give a mail back as it got it; else its source is what is edited. */
export function canEdit(template: string): boolean {
  if (template === '') return true
  if (withoutHandlers(template) !== template) return false
  try {
    const document = generateJSON(toEditor(template), mailExtensions)
    const back = toTemplate(generateHTML(document, mailExtensions))
    return normalHtml(back) === normalHtml(template)
  } catch {
    return false
  }
}
