import { type Command, Option } from 'commander'
import { type AuditFilter, type ListedEntry, listAudit } from '../features/audit/index.ts'
import type { Page } from '../kernel/http/page.ts'
import { parseAtLeastOne, parseId, parseTime } from './arguments.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { formatTable } from './terminal.ts'

interface ListOptions extends WorkspaceOptions, AuditFilter {
  limit: number
  before?: string
}

export function auditCommands(program: Command) {
  const audit = program
    .command('audit')
    .description('Who changed what: keys, plans, mailboxes, campaigns, suppressions, leads')

  withWorkspace(audit.command('list'))
    .description('List the entries, newest first')
    .option('--action <action>', 'as key.revoked, or key. for every action on keys')
    .addOption(
      new Option('--actor-type <type>', 'who did it').choices([
        ...['user', 'key', 'operator', 'service'],
      ]),
    )
    .option('--actor-id <id>', 'of this user or key', parseId)
    .option('--subject-id <id>', 'about this record', parseId)
    .option(
      '--from <time>',
      'from this time on, or from the beginning of this day (UTC)',
      parseTime,
    )
    .option('--to <time>', 'before this time, or before this day (UTC)', parseTime)
    .option('--limit <number>', 'how many', parseAtLeastOne, 50)
    .option('--before <id>', 'go on after this entry, as the last list said', parseId)
    .action(({ limit, before, workspace, json, ...filter }: ListOptions) =>
      operateIn(
        { workspace, ...(json ? { json } : {}) },
        (ctx, workspaceId) => listAudit(ctx, workspaceId, { limit, startingAfter: before }, filter),
        showEntries,
      ),
    )
}

function showEntries({ items, next_starting_after: next }: Page<ListedEntry>): string {
  if (items.length === 0) return 'There is no such entry.'
  const table = formatTable(
    ['time', 'action', 'by', 'about', 'details'],
    items.map((entry) => [
      entry.timestamp_created,
      entry.action,
      [entry.actor_type, entry.actor_id].filter(Boolean).join(' '),
      [entry.subject_type, entry.subject_id].filter(Boolean).join(' '),
      detailsOf(entry.details),
    ]),
  )
  return next ? `${table}\nThere are more: --before ${next}` : table
}

const detailsOf = (details: unknown) =>
  Object.entries((details ?? {}) as object)
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(',') : value}`)
    .join(' ')
