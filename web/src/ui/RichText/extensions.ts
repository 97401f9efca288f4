import type { Extensions } from '@tiptap/core'
import Image from '@tiptap/extension-image'
import StarterKit from '@tiptap/starter-kit'
import { Spintax } from './spintax.ts'
import { Variable } from './variable.ts'

/** What a mail is written with. Links are as the author wrote them: mails know no tabs. */
export const mailExtensions: Extensions = [
  StarterKit.configure({
    link: { openOnClick: false, HTMLAttributes: { target: null, rel: null, class: null } },
    trailingNode: false,
  }),
  Image.configure({ inline: true }),
  Variable,
  Spintax,
]
