import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { TFunction } from 'i18next'
import { Bell, MailOpen, PencilLine, Send, Webhook } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Label, LeadHistoryItem } from '../../api/generated/types.gen.ts'
import { capitalized } from '../../lib/text.ts'
import type texts from '../../texts/en.json'
import { RelativeTime } from '../../ui/RelativeTime.tsx'
import { StateBadge } from '../../ui/StateBadge.tsx'
import { useActorName } from '../audit/index.ts'
import { LeadStatus } from '../labels/index.ts'
import { useWorkspace } from '../users/index.ts'
import classes from './LeadPanel.module.css'

interface HistoryItemProps {
  item: LeadHistoryItem
  /** The labels that people made, archived ones too. */
  labels: Label[]
  /** The conversation that its mails are in; undefined: nobody has answered yet. */
  conversation: string | undefined
}

/** One thing that happened to a lead. */
export function HistoryItem({ item, labels, conversation }: HistoryItemProps) {
  const { t } = useTranslation()
  const { handle } = useWorkspace()
  const actorName = useActorName()
  const { kind, name, direction, subject, snippet, success, status_code, timestamp } = item
  const Icon = iconOf(item)
  const words =
    kind === 'message'
      ? t(($) => $.leads.history[direction === 'in' ? 'received' : 'sent'], {
          from: item.from_address,
        })
      : kind === 'delivery'
        ? t(($) => $.leads.history.delivery, { event: titleOf(t, name, labels) })
        : (withOthers(t, item) ?? titleOf(t, sendingChangeOf(item) ?? name, labels))
  const fields = fieldsOf(t, item)
  const status = statusSet(item)
  return (
    <div className={classes.item}>
      <Icon size="1rem" aria-hidden />
      <div>
        <Text size="sm">
          {fields ? `${words}: ${fields}` : words} {status && <LeadStatus status={status} />}
          {kind === 'delivery' && (
            <StateBadge tone={success ? 'green' : 'red'}>
              {status_code === null ? t(($) => $.leads.history.noAnswer) : String(status_code)}
            </StateBadge>
          )}
        </Text>
        {subject && (
          <Text size="sm" fw={500} className={classes.snippet}>
            {subject}
          </Text>
        )}
        {snippet && (
          <Text size="xs" c="dimmed" className={classes.snippet}>
            {snippet}
          </Text>
        )}
        {kind === 'message' && conversation && (
          <Link
            className={classes.way}
            to="/w/$handle/inbox"
            params={{ handle }}
            search={{ view: 'all', thread: conversation }}
          >
            {t(($) => $.leads.history.conversation)}
          </Link>
        )}
        {kind === 'delivery' && item.webhook_id && (
          <Link
            className={classes.way}
            to="/w/$handle/settings/webhooks/$id"
            params={{ handle, id: item.webhook_id }}
            search={{ attempt: item.id }}
          >
            {t(($) => $.leads.history.attempt)}
          </Link>
        )}
        {kind === 'change' && (
          <Text size="xs" c="dimmed">
            {t(($) => $.leads.history.by, { name: actorName(item) })}
          </Text>
        )}
      </div>
      <Text size="xs" c="dimmed">
        <RelativeTime at={timestamp} />
      </Text>
    </div>
  )
}

function iconOf({ kind, direction }: LeadHistoryItem) {
  if (kind === 'message') return direction === 'in' ? MailOpen : Send
  return { event: Bell, delivery: Webhook, change: PencilLine }[kind]
}

type Field = keyof (typeof texts)['leads']['fields']

/** What was corrected: not how, which is personal. */
function fieldsOf(t: TFunction, { name, details: { fields } }: LeadHistoryItem): string {
  if (name !== 'lead.updated' || !Array.isArray(fields)) return ''
  return fields
    .map((field) => t(($) => $.leads.fields[field as Field], { defaultValue: field }))
    .join(', ')
}

/** What was done to the lead and others at once; undefined: it is something else, or newer than this page. */
function withOthers(t: TFunction, { name, details }: LeadHistoryItem): string | undefined {
  const known = manyActions.find((action) => name === `lead.many_${action}`)
  // What a runner does to very many is told when it begins: with how many it was asked for.
  const leads = details.leads ?? details.leads_asked
  if (known === undefined || typeof leads !== 'number') return undefined
  return t(($) => $.leads.history.many[known], { count: leads })
}

const manyActions = [
  ...(['status_set', 'paused', 'resumed', 'unsubscribed', 'moved', 'undone'] as const),
]

/** A change of sending alone is stored as a status set to the value that it had. */
function sendingChangeOf({ name, details }: LeadHistoryItem): string | undefined {
  if (name !== 'lead.status_set' || details.status !== details.previous_status) return undefined
  if (details.sending_state === 'paused') return 'lead.paused'
  return receivingStates.has(details.sending_state) ? 'lead.resumed' : undefined
}

/** In which a lead gets mails. */
const receivingStates = new Set<unknown>(['pending', 'active'])

function statusSet(item: LeadHistoryItem): string | undefined {
  const { name, details } = item
  if (!setsStatus.has(name) || sendingChangeOf(item)) return undefined
  return typeof details.status === 'string' ? details.status : undefined
}

const setsStatus = new Set(['lead.status_set', 'lead.many_status_set'])

type Name = keyof (typeof texts)['leads']['history']['names']

/** A label is its name. Types and actions grow with the server: one that is new to the page is spelled out. */
function titleOf(t: TFunction, name: string, labels: Label[]): string {
  if (name.startsWith(ofLabel)) {
    const id = name.slice(ofLabel.length)
    return labels.find((label) => label.id === id)?.name ?? t(($) => $.leads.columns.label)
  }
  const spelledOut = capitalized(name.replace(/^lead\./, '').replaceAll(/[._]/g, ' '))
  return t(($) => $.leads.history.names[name as Name], { defaultValue: spelledOut })
}

const ofLabel = 'lead.label.'
