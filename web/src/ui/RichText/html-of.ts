import { DOMSerializer, type Node } from '@tiptap/pm/model'

/**
 * What is in the editor as HTML. It is put together in a document that loads nothing: in that of the page
 * each image would be asked for, and refused by the page's policy.
 */
export function htmlOf(written: Node): string {
  const inert = document.implementation.createHTMLDocument('')
  const serializer = DOMSerializer.fromSchema(written.type.schema)
  serializer.serializeFragment(written.content, { document: inert }, inert.body)
  return inert.body.innerHTML
}
