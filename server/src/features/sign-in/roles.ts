import { type Access, type Role, roles } from '../../kernel/http/access.ts'
import { holdsScope } from '../../kernel/http/scopes.ts'

/** What a role may do of what the public API offers as well. */
export const scopesOf: Record<Role, string[]> = {
  viewer: ['campaigns:read', 'leads:read', 'webhooks:read', 'leadbank:read'],
  member: ['campaigns:all', 'leads:all', 'webhooks:read', 'leadbank:all'],
  admin: ['all:all'],
  owner: ['all:all'],
}

/** The first role that an operation is open to. */
export function leastRole({ role, scopes, optionalScopes = [] }: Access): Role {
  if (role) return role
  const needed = scopes.length > 0 ? scopes : optionalScopes
  const may = (one: Role) =>
    needed.length === 0 || needed.some((scope) => holdsScope(new Set(scopesOf[one]), scope))
  return roles.find(may) ?? 'owner'
}
