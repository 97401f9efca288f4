import type { Command } from 'commander'
import { type AuditEntry, type AuditFilter, listAudit } from '../features/audit/index.ts'
import type { Page } from '../kernel/http/page.ts'
import { parseId } from './arguments.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { type Limited, oneOf, withLimit, withPeriod } from './options.ts'
import { formatTable } from './terminal.ts'

interface ListOptions extends WorkspaceOptions, AuditFilter, Limited {
  before?: string
}

export function auditCommands(program: Command) {
  const audit = program
    .command('audit')
    .description('Who changed what: keys, plans, mailboxes, campaigns, suppressions, leads')

  withLimit(withPeriod(withWorkspace(audit.command('list'))), 50)
    .description('List the entries, newest first')
    .option('--action <action>', 'as key.revoked, or key. for every action on keys')
    .addOption(oneOf('--actor-type <type>', 'who did it', ['user', 'key', 'operator', 'service']))
    .option('--actor-id <id>', 'of this user or key', parseId)
    .option('--subject-id <id>', 'about this record', parseId)
    .option('--before <id>', 'go on after this entry, as the last list said', parseId)
    .action(({ limit, before, workspace, json, ...filter }: ListOptions) =>
      operateIn(
        { workspace, ...(json ? { json } : {}) },
        (ctx, workspaceId) => listAudit(ctx, workspaceId, { limit, startingAfter: before }, filter),
        showEntries,
      ),
    )
}

function showEntries({ items, next_starting_after: next }: Page<AuditEntry>): string {
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
