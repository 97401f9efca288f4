import type { Context } from '../../../kernel/context.ts'
import { sha256 } from '../../../kernel/crypto.ts'
import { addMessageIds, findByMessageIds, findLetters } from '../../messages/index.ts'
import type { InboxMailbox } from '../inbox-mailbox.ts'
import type { InboundMessage } from '../ingest/inbound-message.ts'
import type { Match } from './match.ts'

export interface Matched {
  mail: InboundMessage
  match: Match
}

export interface Claimed extends Matched {
  /** Of its row in messages. */
  id: string
  /** What it is known by. */
  alias: string
}

/** A mail and the leads that it is about: a report about several people is one message to each. */
interface Group {
  mail: InboundMessage
  matched: Matched[]
}

/**
 * Whoever is the first to make the identity of a mail known has it; another copy of the mail is
 * nothing new. Another letter is, under whatever Message-ID: there are programs that give the same one
 * to all that they write, or that of the mail that they answer.
 */
export async function claim(
  tx: Context,
  mailbox: InboxMailbox,
  matched: Matched[],
): Promise<Claimed[]> {
  const groups = [...Map.groupBy(matched, ({ mail }) => mail)].map(
    ([mail, of]): Group => ({ mail, matched: of }),
  )
  const first = await claimAs(tx, mailbox, groups, ({ mail }) => mail.identity)
  const claimed = new Set(first.map(({ mail }) => mail))
  const isClaimed = ({ mail }: Group) => claimed.has(mail)
  const rest = groups.filter((group) => !isClaimed(group))
  if (rest.length === 0) return first
  const known = await findKnown(tx, mailbox, rest)
  for (const group of groups.filter(isClaimed)) known.set(group.mail.identity, letterOf(group))
  const others = rest.filter((group) => {
    const letter = known.get(group.mail.identity)
    return letter && !isSame(letter, letterOf(group))
  })
  const formerly = await findByMessageIds(tx.db, mailbox.workspace_id, others.map(formerAliasOf))
  const strange = others.filter((group) => !formerly.has(formerAliasOf(group)))
  return [...first, ...(await claimAs(tx, mailbox, strange, aliasOf))]
}

/** Of a mail that asks by itself for an address to be left alone: @returns whether nobody has seen to it */
export async function claimUnsubscribe(
  tx: Context,
  { workspace_id, id: mailbox_id }: InboxMailbox,
  { identity }: InboundMessage,
  address: string,
): Promise<boolean> {
  // Beside the name of the letter, which may well be an answer, too.
  const alias = nameOf([identity, address], 'wish')
  const row = { workspace_id, mailbox_id, alias, id: tx.newId(), lead_id: null, campaign_id: null }
  return (await addMessageIds(tx.db, [row])).has(alias)
}

async function claimAs(
  tx: Context,
  { workspace_id, id: mailbox_id }: InboxMailbox,
  groups: Group[],
  aliasFor: (group: Group) => string,
) {
  const byAlias = new Map<string, Group>()
  for (const group of groups) {
    const alias = aliasFor(group)
    if (!byAlias.has(alias)) byAlias.set(alias, group)
  }
  const messages = [...byAlias].map(([alias, group]) => ({ alias, ...group, id: tx.newId() }))
  const claimed = await addMessageIds(
    tx.db,
    messages.map(({ alias, matched, id }) => ({
      ...{ workspace_id, mailbox_id, id, alias, campaign_id: null },
      lead_id: leadIdOf(matched),
    })),
  )
  return messages
    .filter(({ alias }) => claimed.has(alias))
    .flatMap(({ matched, id, alias }) =>
      matched.map((each, at) => ({ ...each, alias, id: at === 0 ? id : tx.newId() })),
    )
}

const leadIdOf = ([first]: Matched[]) => first?.match.leadId ?? null

/** What tells two letters apart. */
interface Letter {
  isOurs: boolean
  leadId: string | null
  from: string
  /** When it was written, by the sender's clock; null: not told, or not kept. */
  date: string | null
  text: string
}

const letterOf = ({ mail, matched }: Group): Letter => {
  const { from, date, text } = mail.message
  return {
    ...{ isOurs: false, leadId: leadIdOf(matched), date: date?.toISOString() ?? null },
    ...{ from: from?.address.toLowerCase() ?? '', text: inOneLine(text) },
  }
}

/**
 * The letters that have the identities of these mails; of one that is not kept, none. One that this mailbox
 * wrote is none the less known not to be what came in: that was left out before. What another mailbox
 * wrote may well have come in here.
 */
async function findKnown(
  tx: Context,
  { workspace_id, id: readingId, address }: InboxMailbox,
  groups: Group[],
): Promise<Map<string, Letter>> {
  const identities = [...new Set(groups.map(({ mail }) => mail.identity))]
  const known = await findByMessageIds(tx.db, workspace_id, identities)
  const ids = [...known.values()].map(({ id }) => id)
  const rows = await findLetters(tx.db, workspace_id, ids)
  const letters = new Map(
    rows.map(({ id, direction, from_address, text, details: { date } }) => [
      id,
      {
        ...{ isOurs: direction === 'out', date: typeof date === 'string' ? date : null },
        ...{ from: from_address.toLowerCase(), text: inOneLine(text) },
      },
    ]),
  )
  const ours = { isOurs: true, from: address.toLowerCase(), date: null, text: '' }
  return new Map(
    [...known].flatMap(([identity, { id, lead_id: leadId, campaign_id, mailbox_id }]) => {
      const isOurs = campaign_id !== null && mailbox_id === readingId
      const letter = letters.get(id) ?? (isOurs && ours)
      return letter ? [[identity, { ...letter, leadId }] as const] : []
    }),
  )
}

/**
 * A copy may have come over a list or a gateway that writes into it: it keeps its day and time, and the
 * conversation that it belongs to.
 */
function isSame(known: Letter, { leadId, from, date, text }: Letter): boolean {
  if (known.isOurs) return known.from === from
  const isAlike = known.from === from && known.text === text
  if (known.date === null || date === null) return isAlike
  return known.date === date && (known.leadId === leadId || isAlike)
}

/** A name that is the same for each copy of a letter. */
function aliasOf(group: Group): string {
  const { leadId, date, from, text } = letterOf(group)
  const told = date === null ? [from, text] : [date, leadId]
  return nameOf([group.mail.identity, ...told], 'letter')
}

/** What a letter with a date was named by before its conversation was part of that: one that is kept under it is known. */
const formerAliasOf = ({ mail }: Group) =>
  nameOf([mail.identity, mail.message.date?.toISOString() ?? ''], 'letter')

const nameOf = (told: (string | null)[], what: 'letter' | 'wish') =>
  `<${sha256(JSON.stringify(told)).toString('hex')}@${what}.invalid>`

const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
