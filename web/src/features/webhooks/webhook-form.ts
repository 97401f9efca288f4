import type { UseFormReturnType } from '@mantine/form'
import type { Webhook, WebhookEventType } from '../../api/generated/types.gen.ts'
import { changeOf } from '../../lib/form.ts'

/** What a person fills in; fields that the server knows too have its names. */
export interface WebhookValues {
  name: string
  target_hook_url: string
  event_type: string
  /** Empty: of every campaign. */
  campaign: string
  headers: HeaderValues[]
}

interface HeaderValues {
  name: string
  value: string
}

export type WebhookForm = UseFormReturnType<WebhookValues>

export const firstValues: WebhookValues = {
  name: '',
  target_hook_url: '',
  event_type: 'all_events',
  campaign: '',
  headers: [],
}

export const valuesOf = (webhook: Webhook): WebhookValues => ({
  name: webhook.name,
  target_hook_url: webhook.target_hook_url,
  event_type: webhook.event_type,
  campaign: webhook.campaign ?? '',
  headers: Object.entries(webhook.headers).map(([name, value]) => ({ name, value })),
})

/** As the server takes it: the type of a custom label comes with the label's value. */
export function bodyOf(values: WebhookValues, types: WebhookEventType[]) {
  const { name, target_hook_url, event_type, campaign, headers } = values
  const type = types.find(({ id }) => id === event_type)
  const named = headers.filter((header) => !isEmpty(header))
  return {
    ...{ name, target_hook_url, event_type },
    custom_interest_value: type?.custom_interest_value ?? null,
    campaign: campaign === '' ? null : campaign,
    headers: Object.fromEntries(named.map((header) => [header.name.trim(), header.value])),
  }
}

/** A row that nobody has typed into is no header. */
const isEmpty = ({ name, value }: HeaderValues) => name.trim() === '' && value.trim() === ''

/** Of the header in a row: without a name, or named as one before it, it would be lost without a word. */
export function headerProblem(headers: HeaderValues[], index: number): 'missing' | 'twice' | null {
  const header = headers[index]
  if (!header || isEmpty(header)) return null
  const name = header.name.trim().toLowerCase()
  if (name === '') return 'missing'
  const before = headers.slice(0, index)
  return before.some((each) => each.name.trim().toLowerCase() === name) ? 'twice' : null
}

/**
 * What was changed in the form, and nothing else: somebody else may have changed the rest meanwhile.
 *
 * @param began what the form began with
 */
export function webhookChangeOf(
  values: WebhookValues,
  began: WebhookValues,
  types: WebhookEventType[],
) {
  const body = bodyOf(values, types)
  const change = changeOf(body, bodyOf(began, types))
  const isChanged = (name: keyof typeof body) => name in change
  const changed: (keyof typeof body)[] = [
    ...(['name', 'target_hook_url', 'campaign'] as const).filter(isChanged),
    // Left out, those that are stored would go without a word when the address is another's.
    ...(isChanged('headers') || isElsewhere(body, began) ? (['headers'] as const) : []),
    ...(isChanged('event_type') ? (['event_type', 'custom_interest_value'] as const) : []),
  ]
  return Object.fromEntries(changed.map((name) => [name, body[name]])) as Partial<typeof body>
}

type Target = Pick<WebhookValues, 'target_hook_url'>

/** At another origin, as the server tells it; what is no address is refused there. */
const isElsewhere = (one: Target, other: Target) => originOf(one) !== originOf(other)

const originOf = ({ target_hook_url: url }: Target) =>
  URL.canParse(url) ? new URL(url).origin : undefined
