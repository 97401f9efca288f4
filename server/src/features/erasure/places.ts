import type { Context } from '../../kernel/context.ts'
import { forgetAnswers } from '../../kernel/http/kept-answers.ts'
import { firstIdAt, maxId, nilId, timeOfId } from '../../kernel/ids.ts'
import { parseJsonText } from '../../kernel/json/parse-json-text.ts'
import { countInCampaigns, lockLeads } from '../leads/index.ts'
import { tellPages } from '../live/index.ts'
import { indexThreads } from '../messages/index.ts'
import { forgetCalls } from '../webhooks/try-out/index.ts'
import * as conversations from './conversation-queries.ts'
import * as eventQueries from './event-queries.ts'
import type { Person } from './person.ts'
import * as queries from './queries.ts'
import type { ErasedHere } from './schema.ts'
import { patternOf } from './spellings.ts'
import * as walk from './walk-queries.ts'

/** Where a step begins, and how far it goes. */
export interface From {
  /** The last key that was looked at; null: none yet. */
  after: string | null
  /** Only what was written since then; null: everything. */
  since: Date | null
  /** Rows; null: all that there are. */
  limit: number | null
}

interface Step {
  erased: Partial<ErasedHere>
  lookedAt: number
  /** Null: nothing is left at this place. */
  after: string | null
}

type Place = (tx: Context, workspaceId: string, person: Person, from: From) => Promise<Step>

type EraseWithin = (
  tx: Context,
  workspaceId: string,
  person: Person,
  range: walk.Range,
  from: Pick<From, 'since'> & { sinceId: string },
) => Promise<Partial<ErasedHere>>

interface Walk {
  table: walk.Walked
  /** Rows of this table are written once, so what is newer has a later key. */
  isAppended?: boolean
  /** Of one step. */
  rowsMax?: number
}

/** Goes through a table by its keys. Of a table that is cut by time, partition by partition. */
function through({ table, isAppended = false, rowsMax }: Walk, erase: EraseWithin): Place {
  return async (tx, workspaceId, person, { after, since, limit }) => {
    const sinceId = since ? firstIdAt(since) : nilId
    const begin = after ?? (isAppended ? sinceId : nilId)
    // What has changed is found by its time: in steps by their keys all rows would be looked at again.
    const isByTime = since !== null && !isAppended
    const most = isByTime ? null : limit && Math.min(limit, rowsMax ?? limit)
    const next = most
      ? await walk.findNext(tx.db, workspaceId, table, begin, most)
      : { last: maxId, count: 0 }
    if (next.last === null) return { erased: {}, lookedAt: 0, after: null }
    const range = { after: begin, upTo: next.last }
    const erased = await erase(tx, workspaceId, person, range, { since, sinceId })
    return {
      ...{ erased, lookedAt: next.count },
      after: most && next.count === most ? next.last : null,
    }
  }
}

/** What is found by the person themselves, and what is little: in one step. */
const own: Place = async (tx, workspaceId, person) => {
  const { db } = tx
  const { folded, leadIds } = person
  const leads = await lockLeads(db, workspaceId, leadIds)
  const erased = {
    leads: await queries.eraseLeads(db, workspaceId, person, tx.now()),
    conversations: await conversations.deleteThreads(db, workspaceId, leadIds),
    acquired_contacts: await queries.eraseAcquired(db, workspaceId, folded),
  }
  await queries.eraseSends(db, workspaceId, leadIds)
  await queries.deleteSoftBounces(db, workspaceId, folded)
  await queries.deleteSuppressions(db, workspaceId, folded)
  await queries.eraseFromLeadJobs(db, workspaceId, person)
  await queries.eraseFromViews(db, workspaceId, person)
  await forgetCalls(tx, workspaceId)
  await countInCampaigns(
    tx,
    workspaceId,
    leads.map((was) => ({ was })),
  )
  return { erased, lookedAt: 0, after: null }
}

/**
 * Every place where somebody can be, in the order in which they are taken out of them. Each is gone
 * through in steps of few rows, and what was written meanwhile is looked at again by itself.
 */
export const places: Record<string, Place> = {
  own,
  messages: through(
    { table: 'messages', isAppended: true },
    async (tx, workspaceId, person, range) => {
      const deleted = await conversations.deleteMessages(tx.db, workspaceId, person, range)
      const changed = await conversations.eraseFromMessages(tx.db, workspaceId, person, range)
      const threads = new Set([...deleted.map(({ thread_id }) => thread_id), ...changed])
      await indexThreads(tx, workspaceId, [...threads])
      return {
        messages: deleted.length + changed.length,
        events: await eraseEvents(tx, workspaceId, await eventsOf(tx, workspaceId, deleted)),
      }
    },
  ),
  threads: through({ table: 'threads' }, async (tx, workspaceId, person, range, { since }) => {
    const shown = await conversations.showOtherMail(tx.db, workspaceId, person, range, since)
    const named = await conversations.eraseFromThreads(tx.db, workspaceId, person, range, since)
    await indexThreads(tx, workspaceId, [...new Set([...shown, ...named])])
    return {}
  }),
  answers: through({ table: 'answers' }, async (tx, workspaceId, person, range, { sinceId }) => ({
    answers_by_hand:
      (await conversations.eraseReplies(tx.db, workspaceId, person, range, sinceId)) +
      (await conversations.eraseFromReplies(tx.db, workspaceId, person, range, sinceId)),
  })),
  sends: through({ table: 'sends' }, async ({ db }, workspaceId, person, range, from) => {
    const sinceId = from.since && from.sinceId
    await queries.eraseFromSends(db, workspaceId, person, range, sinceId)
    return {}
  }),
  events: through({ table: 'events', isAppended: true }, async (tx, workspaceId, person, range) => {
    const events = await eventQueries.listEvents(tx.db, workspaceId, person, range)
    const theirs = await eraseEvents(tx, workspaceId, events)
    const named = await eventQueries.eraseFromEvents(tx.db, workspaceId, person, range)
    if (named.length > 0) await eventQueries.markDeliveries(tx.db, workspaceId, named)
    return { events: theirs + named.length }
  }),
  attempts: through(
    { table: 'webhook_events', isAppended: true },
    async ({ db }, workspaceId, person, range) => ({
      delivery_attempts: await eventQueries.eraseAttempts(db, workspaceId, person, range),
    }),
  ),
  kept_answers: async (tx, workspaceId, { spellings }, { after, since, limit }) => {
    const most = limit ?? keptMost
    const pattern = new RegExp(patternOf(spellings, String.raw`[\p{L}\p{N}]`), 'iu')
    const isNamed = (kept: string) => pattern.test(kept)
    const found = await forgetAnswers(tx, workspaceId, isNamed, { after, since, limit: most })
    return {
      ...{ erased: { kept_answers: found.count }, lookedAt: found.lookedAt },
      after: found.lookedAt === most ? found.last : null,
    }
  },
  leads: through({ table: 'leads' }, async ({ db }, workspaceId, person, range, { since }) => {
    await queries.eraseFromLeads(db, workspaceId, person, range, since)
    return {}
  }),
  imports: through(
    { table: 'imports', rowsMax: 1 },
    async (tx, workspaceId, person, range, { since }) => {
      const { db } = tx
      // In this order: an import that is under way goes on no more, and what it wrote last is seen.
      const isAnyGone = await queries.deleteFiles(db, workspaceId, person, range, since)
      if (isAnyGone) tellPages(tx, workspaceId, ['imports'])
      await queries.eraseFromImports(db, workspaceId, person, range, since)
      return {}
    },
  ),
}

const keptMost = 100_000_000

/** Longer than a transaction takes from a mail to the event that tells of it. */
const marginMs = 2 * 60_000

/**
 * What tells of mails that the person wrote in conversations of others: such an event is about the lead
 * of the conversation, and need not name who wrote.
 */
async function eventsOf(
  { db }: Context,
  workspaceId: string,
  deleted: conversations.DeletedMessage[],
) {
  const mails = deleted.flatMap(({ id, direction, lead_id, snippet }) => {
    const upTo = firstIdAt(new Date(timeOfId(id).getTime() + marginMs))
    return direction === 'in' && lead_id !== null ? [{ id, lead_id, upTo, snippet }] : []
  })
  if (mails.length === 0) return []
  const events = await eventQueries.listEventsOfReplies(db, workspaceId, mails)
  return events.filter(({ body }) => {
    const { data } = parseJsonText(body) as ReplyEvent
    return mails.some(
      ({ lead_id, snippet }) => data.lead?.id === lead_id && data.reply?.snippet === snippet,
    )
  })
}

/** Without its data, if somebody in them was erased. */
interface ReplyEvent {
  data: { lead?: { id: string }; reply?: { snippet: string } }
}

async function eraseEvents(tx: Context, workspaceId: string, events: eventQueries.StoredEvent[]) {
  if (events.length === 0) return 0
  const rewritten = events.map(({ id, body }) => ({ id, body: withoutPerson(body) }))
  await eventQueries.updateEvents(tx.db, workspaceId, rewritten)
  const ids = rewritten.map(({ id }) => id)
  await eventQueries.markDeliveries(tx.db, workspaceId, ids)
  return events.length
}

/** What happened and when stays, to whom goes; receivers still get an event that was not delivered yet. */
function withoutPerson(body: string): string {
  const event = parseJsonText(body) as Record<string, unknown>
  return JSON.stringify({ ...event, lead_email: null, data: { erased: true } })
}
