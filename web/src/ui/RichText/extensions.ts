import type { Extensions } from '@tiptap/core'
import StarterKit from '@tiptap/starter-kit'
import { ShownImage } from './shown-image.ts'
import { Spintax } from './spintax.ts'
import { Variable } from './variable.ts'

/** What a mail to one person is written with. Links are as the author wrote them: mails know no tabs. */
const mailExtensions: Extensions = [
  StarterKit.configure({
    link: { openOnClick: false, HTMLAttributes: { target: null, rel: null, class: null } },
    trailingNode: false,
  }),
  ShownImage.configure({ inline: true }),
]

/** What is written: a mail for many leads, with variables and alternatives, or what goes out as it is. */
export type RichTextKind = 'template' | 'plain'

export const extensionsOf = (
  kind: RichTextKind,
  isUnknown: (expression: string) => boolean = () => false,
): Extensions =>
  kind === 'template'
    ? [...mailExtensions, Variable.configure({ isUnknown }), Spintax]
    : mailExtensions
