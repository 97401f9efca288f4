import type { AnyContext } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { isPublicHost } from '../../kernel/outbound/index.ts'
import * as queries from './queries.ts'

/** What it takes to make `url` an address that links can use, as a sentence for an operator. */
export const linkAddressRemedy =
  'Set TRACKING_URL to an https address that leads to this service from everywhere, and restart it.'

/** Where the links of mails lead, the same for every process of the installation. */
export async function findLinkUrl({
  db,
  config,
}: Pick<AnyContext, 'db' | 'config'>): Promise<string> {
  // Nothing is stored before the first start of a server.
  return (await queries.findLinkAddress(db))?.url ?? config.trackingUrl ?? config.apiUrl
}

/** Whether a recipient's mail program can open it, and use it for one click (RFC 8058 §3.1). */
export function isPublicAddress(url: string): boolean {
  const address = URL.parse(url)
  return address?.protocol === 'https:' && isPublicHost(address.hostname)
}

/** What decides whether the mails of a mailbox can carry links. */
export interface LinkSender {
  address: string
  /** Its mail server is of this machine, and so are those who read its mail: a sandbox, a test. */
  sends_locally: boolean
}

export const canCarryLinks = ({ sends_locally }: Pick<LinkSender, 'sends_locally'>, url: string) =>
  sends_locally || isPublicAddress(url)

/**
 * Keeps the address that this process was given, or forgets the one that is kept where it was given
 * `none`. The process that was started last with an address is right.
 *
 * @returns the address that another process was given before, when it is another one
 */
export async function keepGivenAddress(ctx: AnyContext): Promise<string | undefined> {
  const { trackingUrl } = ctx.config
  if (trackingUrl === undefined) return undefined
  const before = await queries.findLinkAddress(ctx.db)
  if (trackingUrl === null) {
    await queries.deleteLinkAddress(ctx.db)
    return undefined
  }
  await queries.saveLinkAddress(ctx.db, trackingUrl, true, ctx.now())
  return before?.is_given && before.url !== trackingUrl ? before.url : undefined
}

/** The same links lead to all of an installation, so each of its databases has what the first has. */
export async function copyLinkAddress(first: AnyContext, shard: AnyContext): Promise<void> {
  const kept = await queries.findLinkAddress(first.db)
  const there = await queries.findLinkAddress(shard.db)
  if (kept?.url === there?.url && kept?.is_given === there?.is_given) return
  await transaction(shard, async (tx) => {
    await queries.deleteLinkAddress(tx.db)
    if (kept) await queries.saveLinkAddress(tx.db, kept.url, kept.is_given, tx.now())
  })
}

/** Where the API listens is where links lead until an address is given. */
export const keepListenerAddress = (ctx: AnyContext, listener: string) =>
  queries.saveLinkAddress(ctx.db, listener, false, ctx.now())

/** Says that this process was given another address than the one that links use. */
export async function reportContradiction(ctx: AnyContext): Promise<string | undefined> {
  const { trackingUrl } = ctx.config
  const stored = await queries.findLinkAddress(ctx.db)
  if (!trackingUrl || !stored || stored.url === trackingUrl) return undefined
  await queries.saveContradiction(ctx.db, trackingUrl, ctx.now())
  return stored.url
}
