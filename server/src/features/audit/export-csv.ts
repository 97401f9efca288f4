import { type Context, onFirstShard } from '../../kernel/context.ts'
import { csvLine } from '../../kernel/csv/write-csv.ts'
import { listUsersById } from '../users/index.ts'
import { type AuditFilter, listNamedEntries } from './queries.ts'

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
    const entries = await listNamed(ctx, workspaceId, filter, place)
    yield entries
      .map((entry) =>
        csvLine([...columns.map((name) => entry[name]), JSON.stringify(entry.details)]),
      )
      .join('')
    place = entries.at(-1)?.id
    if (entries.length < batchMax) return
  }
}

/** People lie on the first shard. */
async function listNamed(
  ctx: Context,
  workspaceId: string,
  filter: AuditFilter,
  place: string | undefined,
) {
  const entries = await listNamedEntries(ctx.db, workspaceId, filter, place, batchMax)
  if (onFirstShard(ctx) === ctx) return entries
  const people = entries.flatMap(({ actor_type, actor_id }) =>
    actor_type === 'user' && actor_id !== null ? [actor_id] : [],
  )
  const users = await listUsersById(ctx, [...new Set(people)])
  const nameOf = new Map(users.map(({ id, name }) => [id, name]))
  return entries.map((entry) => ({
    ...entry,
    actor_name: entry.actor_name ?? nameOf.get(entry.actor_id ?? '') ?? null,
  }))
}
