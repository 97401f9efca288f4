import type { Context } from '../../kernel/context.ts'
import { createTokenBox, type TokenBox, type TokenKind } from './token.ts'

/** The mail that a link stands in. */
export interface LinkedMail {
  workspaceId: string
  leadId: string
  stepId: string
}

/** Makes the addresses that a mail carries. The same mail always gets the same ones. */
export interface TrackingLinks {
  /** Of the page that unsubscribes, and of the one-click POST (RFC 8058). */
  unsubscribe: (mail: LinkedMail, foldedAddress: string) => string
  /** Of the invisible image. */
  open: (mail: LinkedMail) => string
  /** Of the redirect to `url`; the same `url` when it is too long for one. */
  click: (mail: LinkedMail, url: string) => string
}

export function createTrackingLinks(ctx: Pick<Context, 'config' | 'secrets'>): TrackingLinks {
  const { trackingUrl } = ctx.config
  const tokens = tokenBoxOf(ctx)
  const make = (kind: TokenKind, { workspaceId, leadId, stepId }: LinkedMail, text = '') =>
    tokens.make({ kind, workspaceId, leadId, stepId, text })
  return {
    unsubscribe: (mail, address) => `${trackingUrl}/u/${make('unsubscribe', mail, address)}`,
    open: (mail) => `${trackingUrl}/o/${make('open', mail)}.gif`,
    click: (mail, url) =>
      Buffer.byteLength(url) > urlOctetsMax ? url : `${trackingUrl}/c/${make('click', mail, url)}`,
  }
}

export const tokenBoxOf = ({ secrets }: Pick<Context, 'secrets'>): TokenBox =>
  createTokenBox(secrets.derive('tracking links', 64))

/** Mail programs and servers cut addresses that are much longer than 2,000 characters. */
const urlOctetsMax = 1400
