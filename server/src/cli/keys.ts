import type { Command } from 'commander'
import { operator } from '../features/audit/index.ts'
import { createKeyAsOperator, listKeys, revokeKey } from '../features/keys/index.ts'
import { listUsersById } from '../features/users/index.ts'
import type { Context } from '../kernel/context.ts'
import { readAll } from '../kernel/http/page.ts'
import { parseId, parseList, parseName } from './arguments.ts'
import { operateIn, type WorkspaceOptions, withWorkspace } from './operate.ts'
import { formatRecord, formatTable, tell } from './terminal.ts'

export function keyCommands(program: Command) {
  const keys = program.command('keys').description('Service-account keys of the API')

  withWorkspace(keys.command('create'))
    .description('Create a key and print its secret, which is shown this once')
    .requiredOption('--name <name>', 'what it is for', parseName)
    .requiredOption('--scopes <scopes>', "with commas, as 'campaigns:read,leads:*'", parseList)
    .option('--expires <time>', 'ISO 8601, as 2027-01-31T00:00:00Z; without it, never')
    .action((options: CreateOptions) => {
      const { name, scopes, expires } = options
      const input = { name, scopes, ...(expires ? { timestamp_expires: expires } : {}) }
      return operateIn(
        options,
        (ctx, workspaceId) => createKeyAsOperator(ctx, workspaceId, input),
        (key) => {
          tell('Keep the key now: it is not shown again.\n')
          return formatRecord({ key: key.key, ...summary(key) })
        },
      )
    })

  withWorkspace(keys.command('list'))
    .description('List the keys that are not revoked')
    .action((options: WorkspaceOptions) =>
      operateIn(options, listWithMakers, ({ items }) =>
        formatTable(
          ['id', 'name', 'prefix', 'status', 'last used', 'expires', 'scopes', 'made by'],
          items.map((key) => [...Object.values(summary(key)), key.made_by]),
        ),
      ),
    )

  withWorkspace(keys.command('revoke'))
    .description('Revoke a key for good; it is refused from then on')
    .argument('<id>', 'id of the key', parseId)
    .option('--with-children', 'also the keys that it made, and theirs')
    .action((id: string, options: RevokeOptions) => {
      const { withChildren = false } = options
      return operateIn(
        options,
        (ctx, workspaceId) => revokeKey(ctx, workspaceId, id, operator, { withChildren }),
        (key) => formatRecord(summary(key)),
      )
    })
}

/** Of a key that was revoked since, and of a person whose account is gone, the audit log has more. */
async function listWithMakers(ctx: Context, workspaceId: string) {
  const { items } = await readAll((page) => listKeys(ctx, workspaceId, page))
  const makers = items.flatMap(({ created_by: { type, id } }) =>
    type === 'user' && id ? [id] : [],
  )
  const users = await listUsersById(ctx, [...new Set(makers)])
  const nameOf = new Map([...items, ...users].map(({ id, name }) => [id, name]))
  const madeBy = ({ type, id }: Key['created_by']) =>
    id === null ? type : `${type} ${nameOf.get(id) ?? id}`
  return { items: items.map((key) => ({ ...key, made_by: madeBy(key.created_by) })) }
}

type CreateOptions = WorkspaceOptions & { name: string; scopes: string[]; expires?: string }
type RevokeOptions = WorkspaceOptions & { withChildren?: boolean }

type Key = Awaited<ReturnType<typeof listKeys>>['items'][number]

const summary = (key: Key) => ({
  id: key.id,
  name: key.name,
  prefix: key.key_prefix,
  status: key.status,
  last_used: key.timestamp_last_used,
  expires: key.timestamp_expires,
  scopes: key.scopes,
})
