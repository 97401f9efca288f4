import type { ErrorDetail } from '../../kernel/errors.ts'
import { foldScope, holdsScope } from '../../kernel/http/scopes.ts'

const resources = ['all', 'service_accounts', 'webhooks', 'campaigns', 'leads', 'leadbank']
const actions = ['all', 'create', 'read', 'update', 'delete']
const valid = new Set(
  resources.flatMap((resource) => actions.map((action) => `${resource}:${action}`)),
)

/** What is valid, as an OpenAPI document says it: `-` equals `_`, `*` equals `all`. */
export const scopePattern = `^(${oneOf(resources)}):(${oneOf(actions)})$`

function oneOf(words: string[]): string {
  return ['\\*', ...words.map((word) => word.replaceAll('_', '[-_]'))].join('|')
}

/** What is wrong. Names are folded to find repeats (contract §2). */
export function problemsWithScopes(scopes: string[]): ErrorDetail[] {
  const folded = scopes.map(foldScope)
  const unknown = folded.flatMap((scope, index) =>
    valid.has(scope) ? [] : [{ path: `/scopes/${index}`, message: `scopes.${index} ${isUnknown}` }],
  )
  if (unknown.length > 0 || new Set(folded).size === folded.length) return unknown
  return [{ path: '/scopes', message: 'scopes must not name the same scope twice' }]
}

const isUnknown = `is an unknown scope; valid are ${[...valid].join(', ')} (* equals all)`

/** What of `wanted` the holder may not pass on: a key grants only what it holds. */
export function scopesBeyond(held: ReadonlySet<string>, wanted: string[]): string[] {
  return wanted.filter(
    (scope) => !coveredActions(foldScope(scope)).every((s) => holdsScope(held, s)),
  )
}

/** `webhooks:all` is covered by holding each of its actions, `all:read` by holding it everywhere. */
function coveredActions(scope: string): string[] {
  const [resource = '', action = ''] = scope.split(':')
  const ofResources = resource === 'all' ? resources.slice(1) : [resource]
  const ofActions = action === 'all' ? actions.slice(1) : [action]
  return ofResources.flatMap((r) => ofActions.map((a) => `${r}:${a}`))
}
