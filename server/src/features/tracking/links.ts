import type { AnyContext } from '../../kernel/context.ts'
import { parseEmail } from '../../kernel/email.ts'
import { canCarryLinks, findLinkUrl, type LinkSender } from '../link-address/index.ts'
import { createLinkTokenBox, type TokenBox, type TokenKind } from './token.ts'
import { mailtoUnsubscribe } from './unsubscribe-token.ts'

/** The mail that a link stands in. */
export interface LinkedMail {
  workspaceId: string
  leadId: string
  stepId: string
}

/** Makes the addresses that a mail carries. The same mail always gets the same ones. */
export interface TrackingLinks {
  /**
   * Of the page that unsubscribes, and of the one-click POST (RFC 8058). Where recipients reach no
   * page of ours: a `mailto:` of the sending mailbox, whose reader carries the wish out.
   */
  unsubscribe: (mail: LinkedMail, foldedAddress: string) => string
  /** Of the invisible image; null where recipients reach none. */
  open: (mail: LinkedMail) => string | null
  /** Of the redirect to `url`; the same `url` when it is too long for one, or nobody reaches it. */
  click: (mail: LinkedMail, url: string) => string
}

/** Makes the links of the mails of one process, for whatever mailbox sends them. */
export class LinkMaker {
  readonly #ctx: Pick<AnyContext, 'config' | 'secrets' | 'keptSettings'>
  readonly #tokens: TokenBox
  #url: string
  #web: TrackingLinks

  constructor(ctx: Pick<AnyContext, 'config' | 'secrets' | 'keptSettings'>) {
    this.#ctx = ctx
    this.#tokens = tokenBoxOf(ctx)
    this.#url = findLinkUrl(ctx)
    this.#web = webLinks(this.#tokens, this.#url)
  }

  of(sender: LinkSender): TrackingLinks {
    const url = findLinkUrl(this.#ctx)
    // Another process may have been told another address meanwhile.
    if (url !== this.#url) this.#web = webLinks(this.#tokens, url)
    this.#url = url
    return canCarryLinks(sender, url) ? this.#web : mailLinks(this.#tokens, sender.address)
  }
}

export interface WebLinks extends TrackingLinks {
  open: (mail: LinkedMail) => string
}

export function webLinks(tokens: TokenBox, url: string): WebLinks {
  const make = makerOf(tokens)
  return {
    unsubscribe: (mail, address) => `${url}/u/${make('unsubscribe', mail, address)}`,
    open: (mail) => `${url}/o/${make('open', mail)}.gif`,
    click: (mail, target) =>
      Buffer.byteLength(target) > urlOctetsMax ? target : `${url}/c/${make('click', mail, target)}`,
  }
}

function mailLinks(tokens: TokenBox, sender: string): TrackingLinks {
  const make = makerOf(tokens)
  const mailbox = parseEmail(sender)
  const local = sender.slice(0, sender.lastIndexOf('@'))
  const to = `${encodeURIComponent(local)}@${mailbox?.domain ?? ''}`
  return {
    unsubscribe: (mail, address) => mailtoUnsubscribe(to, make('unsubscribe', mail, address)),
    open: () => null,
    click: (_mail, target) => target,
  }
}

const makerOf =
  (tokens: TokenBox) =>
  (kind: TokenKind, { workspaceId, leadId, stepId }: LinkedMail, text = '') =>
    tokens.make({ kind, workspaceId, leadId, stepId, text })

export const tokenBoxOf = ({ secrets }: Pick<AnyContext, 'secrets'>): TokenBox =>
  createLinkTokenBox(secrets.derive('tracking links', 64))

/** Mail programs and servers cut addresses that are much longer than 2,000 characters. */
const urlOctetsMax = 1400
