import { Extension } from '@tiptap/core'
import { Plugin } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'

/** `{Hello|Hi}`. */
export const alternatives = /\{[^{}|]*(?:\|[^{}|]*)+\}/g

/** `{Hello|Hi}` stands out from the text around it: one of them is chosen for each lead. */
export const Spintax = Extension.create({
  name: 'spintax',
  addProseMirrorPlugins: () => [
    new Plugin({
      props: {
        decorations({ doc }) {
          const found: Decoration[] = []
          doc.descendants((node, position) => {
            for (const match of node.text?.matchAll(alternatives) ?? []) {
              const from = position + match.index
              found.push(Decoration.inline(from, from + match[0].length, { class: 'spintax' }))
            }
          })
          return DecorationSet.create(doc, found)
        },
      },
    }),
  ],
})
