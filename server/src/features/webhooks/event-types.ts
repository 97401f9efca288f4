import type { Context } from '../../kernel/context.ts'
import type { Db } from '../../kernel/db/db.ts'
import { invalidField } from '../../kernel/errors.ts'
import { parseUuid } from '../../kernel/ids.ts'
import { eventCatalogue, standardEventTypes } from '../events/catalogue/index.ts'
import { findLabelById, type Label, listLabels } from '../labels/index.ts'
import * as queries from './queries.ts'

/** A subscription to every type, custom labels included; no event is of this type. */
export const allEvents = 'all_events'

interface ListedEventType {
  id: string
  label: string
  type: 'standard' | 'custom_label'
  custom_interest_value: string | null
}

const labelPrefix = 'lead.label.'

/** The types to subscribe to. That of an archived label is listed while a destination names it. */
export async function listEventTypes(ctx: Context, workspaceId: string) {
  const labels = await listLabels(ctx.db, workspaceId, { archived: true })
  const archived = labels.filter((label) => label.timestamp_archived).map(typeOfLabel)
  const subscribed = new Set(await queries.listSubscribedTypes(ctx.db, workspaceId, archived))
  const shown = labels.filter(
    (label) => !label.timestamp_archived || subscribed.has(typeOfLabel(label)),
  )
  return { items: [...standardItems, ...shown.map(toItem)] }
}

/** One spelling of an event type: the id of a label is accepted in any case. */
export const canonicalEventType = (text: string) =>
  text.startsWith(labelPrefix) ? text.toLowerCase() : text

/**
 * The subscription as it is stored (contract §3): a label's type comes with the label's value, a
 * standard type without.
 */
export async function judgeSubscription(
  db: Db,
  workspaceId: string,
  eventType: string,
  customInterestValue: string | null,
) {
  const type = canonicalEventType(eventType)
  if (standardLabels.has(type)) {
    if (customInterestValue === null) return { event_type: type, custom_interest_value: null }
    throw invalidField(
      '/custom_interest_value',
      'custom_interest_value goes with the event type of a custom label only; leave it out',
    )
  }
  const label = await findSubscribableLabel(db, workspaceId, type)
  if (!label) {
    throw invalidField(
      '/event_type',
      'event_type must be an id from GET /api/v2/webhooks/event-types',
    )
  }
  if (customInterestValue === label.value) {
    return { event_type: type, custom_interest_value: label.value }
  }
  throw invalidField(
    '/custom_interest_value',
    `custom_interest_value must be "${label.value}" for this event_type`,
  )
}

/** The label that a type is of, also one that is archived. */
export async function findLabelOfType(db: Db, workspaceId: string, type: string) {
  const id = type.startsWith(labelPrefix) ? parseUuid(type.slice(labelPrefix.length)) : undefined
  return id === undefined ? undefined : findLabelById(db, workspaceId, id)
}

async function findSubscribableLabel(db: Db, workspaceId: string, type: string) {
  const label = await findLabelOfType(db, workspaceId, type)
  if (!label) return
  if (!label.timestamp_archived) return label
  const subscribed = await queries.listSubscribedTypes(db, workspaceId, [type])
  return subscribed.length > 0 ? label : undefined
}

const typeOfLabel = (label: Label) => `${labelPrefix}${label.id}`

const toItem = (label: Label): ListedEventType => ({
  id: typeOfLabel(label),
  label: label.name,
  type: 'custom_label',
  custom_interest_value: label.value,
})

const standardLabels = new Map<string, string>([
  [allEvents, 'All events'],
  ...standardEventTypes.map((type): [string, string] => [type, eventCatalogue[type].label]),
])

const standardItems = [...standardLabels].map(
  ([id, label]): ListedEventType => ({ id, label, type: 'standard', custom_interest_value: null }),
)
