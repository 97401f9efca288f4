import type { FastifyRequest } from 'fastify'
import type { ProcessContext } from '../context.ts'
import { AppError } from '../errors.ts'
import { parseUuid } from '../ids.ts'
import type { RateLimit } from './rate-limit.ts'
import { holdsScope } from './scopes.ts'

/** What a person may do in a workspace; each one may what those before it may. */
export const roles = ['viewer', 'member', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

/** Who is calling, read from the database for this very request. */
export interface Caller {
  workspaceId: string
  /** Where it lies; undefined: there is one database. */
  shard?: ProcessContext | undefined
  /** The caller as the audit log names it. */
  actor: { type: 'user' | 'key'; id: string }
  /** The role of a person; keys have none. */
  role?: Role
  scopes: ReadonlySet<string>
  entitlements: ReadonlySet<string>
  /** Resources whose optional scopes the workspace demands. */
  demands: ReadonlySet<string>
  /** Per 10 s; 0 = unlimited. */
  requestsMax: number
  /** Requests with the same one are counted together. */
  rateKey: string
  /** When the key expires. */
  expiresAt: Date | null
}

/** Declared by each route of a workspace, beside its handler. */
export interface Access {
  /** Any one of them is enough; none: a valid key is enough. */
  scopes: string[]
  /** The least role of a person, on routes that only the application has. */
  role?: Role
  /** Needed as well where the workspace demands the scopes of their resource. */
  optionalScopes?: string[]
  entitlement?: string
  /** Answered when the plan lacks the entitlement. */
  refusal?: 'plan_required' | 'entitlement_required'
  /** A rate window of its own. */
  window?: string
}

/** The `config` of routes that only the application has, by the least role that may call them. */
export const asViewer: { access: Access } = { access: { scopes: [], role: 'viewer' } }
export const asMember: { access: Access } = { access: { scopes: [], role: 'member' } }
export const asAdmin: { access: Access } = { access: { scopes: [], role: 'admin' } }

export type Authenticate = (secret: string) => Promise<Caller>

/** Finds out who sent a request. */
export type Door = (req: FastifyRequest) => Promise<Caller>

type Consume = Pick<RateLimit, 'consume'>

/**
 * The order of contract §1, as far as the rate: key or session, workspace header, plan, scope or role.
 * Sets `req.authenticated`.
 */
export async function checkAccess(
  req: FastifyRequest,
  access: Access,
  door: Door,
): Promise<Caller> {
  const caller = await door(req)
  // Here already, so that the log says who was refused.
  req.authenticated = caller
  checkWorkspaceHeader(req, caller)
  if (access.entitlement && !caller.entitlements.has(access.entitlement)) {
    throw new AppError(
      access.refusal ?? 'plan_required',
      `The plan of this workspace has "${access.entitlement}" switched off; ask the operator to switch it on.`,
    )
  }
  checkRole(access.role, caller)
  checkScope(access.scopes, caller)
  checkScope((access.optionalScopes ?? []).filter(isDemanded(caller)), caller)
  return caller
}

/** @returns the rate headers to send */
export async function checkRate(
  { window }: Access,
  { rateKey, requestsMax }: Caller,
  rateLimit: Consume,
): Promise<Record<string, string>> {
  if (!window) return await rateLimit.consume(rateKey, requestsMax)
  return await rateLimit.consume(`${rateKey}:${window}`, requestsMax, { name: window })
}

/** The way into the public API: a key in the Authorization header. */
export const keyDoor =
  (authenticate: Authenticate, rateLimit: Consume): Door =>
  async (req) => {
    try {
      return await authenticate(bearerToken(req.headers.authorization))
    } catch (error) {
      if (error instanceof AppError && error.status === 401) {
        const failures = {
          name: 'failures',
          counted: 'requests without a valid key from this address',
        }
        await rateLimit.consume(`address:${req.ip}`, failuresMax, failures)
      }
      throw error
    }
  }

/** Failed authentications of one address per 10 s. Valid keys from there are not affected. */
const failuresMax = 200

function bearerToken(header: string | undefined): string {
  const token = /^bearer +([^\s,]+) *$/i.exec(header ?? '')?.[1]
  if (token) return token
  throw new AppError('missing_key', 'Send the key as "Authorization: Bearer <key>".', {
    headers: { 'www-authenticate': 'Bearer' },
  })
}

function checkWorkspaceHeader(req: FastifyRequest, caller: Caller) {
  const named = String(req.headers['x-workspace-id'] ?? '').trim()
  if (named === '' || parseUuid(named) === caller.workspaceId) return
  throw new AppError(
    'workspace_mismatch',
    "X-Workspace-ID names another workspace than the key's; leave the header out.",
  )
}

const isDemanded = (caller: Caller) => (scope: string) =>
  caller.demands.has(scope.slice(0, scope.indexOf(':')))

function checkRole(least: Role | undefined, { role }: Caller) {
  if (!least || (role && roles.indexOf(role) >= roles.indexOf(least))) return
  throw roleRequired(`This needs the role ${least}`, role)
}

const roleRequired = (need: string, role: Role | undefined) =>
  new AppError('role_required', `${need}, and yours is ${role}; ask an admin of the workspace.`)

function checkScope(needed: string[], caller: Caller) {
  if (needed.length === 0 || needed.some((scope) => holdsScope(caller.scopes, scope))) return
  if (caller.role) throw roleRequired('This needs another role', caller.role)
  throw new AppError(
    'missing_scope',
    `This needs the scope ${needed.join(' or ')}; the key holds ${[...caller.scopes].join(', ')}.`,
  )
}
