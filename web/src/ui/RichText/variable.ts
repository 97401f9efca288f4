import { InputRule, mergeAttributes, Node } from '@tiptap/core'

/** `{{first_name}}` as one thing that cannot be broken by typing in it; whatever stands in it stays. */
export const Variable = Node.create({
  name: 'variable',
  group: 'inline',
  inline: true,
  atom: true,
  selectable: true,
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
