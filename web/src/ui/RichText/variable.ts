import { InputRule, mergeAttributes, Node } from '@tiptap/core'
import { type EditorState, Plugin } from '@tiptap/pm/state'
import { Decoration, DecorationSet } from '@tiptap/pm/view'

interface VariableOptions {
  /** Whether nobody has what stands in it, so that it looks wrong. */
  isUnknown: (expression: string) => boolean
}

/** `{{first_name}}` as one thing that cannot be broken by typing in it; whatever stands in it stays. */
export const Variable = Node.create<VariableOptions>({
  name: 'variable',
  group: 'inline',
  inline: true,
  atom: true,
  selectable: true,
  addOptions: () => ({ isUnknown: () => false }),
  addAttributes: () => ({
    expression: {
      default: '',
      parseHTML: (element) => element.getAttribute('data-variable'),
      renderHTML: ({ expression }) => ({ 'data-variable': expression }),
    },
  }),
  parseHTML: () => [{ tag: 'span[data-variable]' }],
  renderHTML: ({ node, HTMLAttributes }) => [
    'span',
    mergeAttributes(HTMLAttributes, { class: 'variable' }),
    String(node.attrs.expression).trim(),
  ],
  renderText: ({ node }) => `{{${node.attrs.expression}}}`,
  addProseMirrorPlugins() {
    const { isUnknown } = this.options
    const decorations = ({ doc }: EditorState) => {
      const found: Decoration[] = []
      doc.descendants((node, position) => {
        if (node.type.name !== this.name || !isUnknown(String(node.attrs.expression).trim())) return
        found.push(Decoration.node(position, position + node.nodeSize, { class: 'unknown' }))
      })
      return DecorationSet.create(doc, found)
    }
    return [new Plugin({ props: { decorations } })]
  },
  addInputRules() {
    // nodeInputRule would replace the name alone and leave the braces.
    return [
      new InputRule({
        find: /\{\{([^{}]+)\}\}$/,
        handler: ({ range, match, chain }) => {
          chain()
            .deleteRange(range)
            .insertContent({ type: this.name, attrs: { expression: match[1] } })
            .run()
        },
      }),
    ]
  },
})
