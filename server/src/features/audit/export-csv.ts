import type { Context } from '../../kernel/context.ts'
import { csvLine } from '../../kernel/csv/write-csv.ts'
import { listEntries } from './audit.ts'
import type { AuditFilter } from './queries.ts'

const batchMax = 1000

const columns = [
  ...(['timestamp_created', 'actor_type', 'actor_name', 'actor_id', 'action'] as const),
  ...(['subject_type', 'subject_id', 'request_id'] as const),
]

/** The log as a file, newest first, piece by piece. */
export async function* exportAudit(
  ctx: Context,
  workspaceId: string,
  filter: AuditFilter,
): AsyncGenerator<string> {
  // Excel takes a file without the mark for one of Windows-1252.
  yield `\ufeff${csvLine([...columns, 'details'])}`
  let place: string | undefined
  for (;;) {
    const entries = await listEntries(ctx, workspaceId, filter, place, batchMax)
    yield entries
      .map((entry) =>
        csvLine([...columns.map((name) => entry[name]), JSON.stringify(entry.details)]),
      )
      .join('')
    place = entries.at(-1)?.id
    if (entries.length < batchMax) return
  }
}
