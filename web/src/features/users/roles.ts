import type { SessionState } from '../../api/generated/types.gen.ts'

export type Role = SessionState['workspaces'][number]['role']

/** From the least to the most. */
export const roles: readonly Role[] = ['viewer', 'member', 'admin', 'owner']

export const isAtLeast = (role: Role, least: Role) => roles.indexOf(role) >= roles.indexOf(least)
