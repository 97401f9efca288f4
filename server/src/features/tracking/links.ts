import type { Context } from '../../kernel/context.ts'

/** The mail that a link stands in. */
export interface LinkedMail {
  workspaceId: string
  leadId: string
  stepId: string
}

/** Makes the addresses that a mail carries. The same mail always gets the same ones. */
export interface TrackingLinks {
  /** Of the page that unsubscribes, and of the one-click POST (RFC 8058). */
  unsubscribe: (mail: LinkedMail, email: string) => string
  /** Of the invisible image. */
  open: (mail: LinkedMail) => string
  /** Of the redirect to `url`; the same `url` when it is too long for one. */
  click: (mail: LinkedMail, url: string) => string
}

export function createTrackingLinks(_ctx: Pick<Context, 'config' | 'secrets'>): TrackingLinks {
  throw new Error('not written yet')
}
