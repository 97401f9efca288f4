import type { Campaign } from '../../api/generated/types.gen.ts'
import { isOnWeb } from '../../lib/html.ts'
import { stepsOf } from './steps/edit-steps.ts'

export interface LostImage {
  src: string
  /** Where it stands; both from 1. */
  step: number
  variant: number
}

// A document that is made of the text would have its styles refused by the page's policy, and say so.
const image = /<img\b[^>]*?\ssrc\s*=\s*("[^"]*"|'[^']*'|[^\s>]*)/gi
const comment = /<!--[\s\S]*?-->/g

/** The images of the mails that many of their readers cannot be shown. */
export const lostImages = (campaign: Pick<Campaign, 'sequences'>): LostImage[] =>
  stepsOf(campaign).flatMap(({ variants }, step) =>
    variants.flatMap(({ body, v_disabled }, variant) =>
      [...(v_disabled ? '' : body).replaceAll(comment, '').matchAll(image)]
        .map(([, value = '']) => value.replaceAll(/^["']|["']$/g, ''))
        .filter((src) => !isOnWeb(src))
        .map((src) => ({ src, step: step + 1, variant: variant + 1 })),
    ),
  )
