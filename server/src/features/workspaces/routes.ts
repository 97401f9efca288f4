import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { enterWorkspace, inWorkspace, type ProcessContext } from '../../kernel/context.ts'
import { transaction } from '../../kernel/db/transaction.ts'
import { findMade, keepMade, type MakingRequest } from '../../kernel/http/idempotency.ts'
import { ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy, changedByPerson } from '../audit/index.ts'
import { addMember } from '../members/index.ts'
import { chooseShard } from './placement.ts'
import { PlanInput, Workspace, WorkspaceChanges, WorkspaceInput, WorkspaceList } from './schema.ts'
import {
  createWorkspace,
  getWorkspace,
  listAllWorkspaces,
  locateByName,
  setPlan,
  setWorkspace,
} from './workspaces.ts'

export const workspaceSchemas = [
  ...[Workspace, WorkspaceList, WorkspaceInput, WorkspaceChanges, PlanInput],
]

const tags = ['Workspace']
const asOperator = { person: 'operator' as const }

export const workspaceRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/workspace',
    {
      config: { access: { scopes: [], role: 'viewer' } },
      schema: {
        operationId: 'getWorkspace',
        summary: 'The workspace',
        description: 'Its settings and its plan.',
        tags,
        response: { 200: ref(Workspace) },
      },
    },
    ({ ctx, caller }) => getWorkspace(ctx, caller.workspaceId),
  )

  app.patch(
    '/workspace',
    {
      config: { access: { scopes: [], role: 'admin' } },
      schema: {
        operationId: 'updateWorkspace',
        summary: 'Change the settings of the workspace',
        description: 'They hold for what comes in from now on. Addresses keep its handle.',
        tags,
        body: ref(WorkspaceChanges),
        response: { 200: ref(Workspace) },
      },
    },
    (req) => {
      const { name, unsubscribe_by_reply: unsubscribeByReply } = req.body
      const changes = {
        ...(name === undefined ? {} : { name }),
        ...(unsubscribeByReply === undefined ? {} : { unsubscribeByReply }),
      }
      return setWorkspace(req.ctx, req.caller.workspaceId, changes, changedBy(req))
    },
  )

  app.get(
    '/workspaces',
    {
      config: asOperator,
      schema: {
        operationId: 'listWorkspaces',
        summary: 'List all workspaces',
        description: 'Also those that the operator is no member of, newest first.',
        tags,
        response: { 200: ref(WorkspaceList) },
      },
    },
    async (req) => ({ items: await listAllWorkspaces(req.process) }),
  )

  app.post(
    '/workspaces',
    {
      config: asOperator,
      schema: {
        operationId: 'createWorkspace',
        summary: 'Make a workspace',
        description: 'With everything on; whoever makes it owns it.',
        tags,
        body: ref(WorkspaceInput),
        response: { 201: ref(Workspace) },
      },
    },
    (req, reply) => {
      reply.code(201)
      const { process, body, person } = req
      return makeOwnWorkspace(process, body.name, { req, reply, userId: person.id })
    },
  )

  app.patch(
    '/workspaces/:id/plan',
    {
      config: asOperator,
      schema: {
        operationId: 'setPlan',
        summary: 'Set the plan of a workspace',
        description: 'It holds at once.',
        tags,
        params: Type.Object({ id: Uuid }),
        body: ref(PlanInput),
        response: { 200: ref(Workspace) },
      },
    },
    async ({ process, params, body, person, id }) => {
      const changes = {
        ...{ api: body.plan_api, webhooks: body.plan_webhooks },
        ...{ acquisition: body.plan_acquisition, rate: body.plan_rate },
        ...{ leadsMax: body.plan_leads_max, monthlyCredits: body.plan_monthly_credits },
        leadbankScopeRequired: body.leadbank_scope_required,
      }
      const by = changedByPerson(person.id, id)
      return setPlan(await enterWorkspace(process, params.id), params.id, changes, by)
    },
  )
}

/** Asked for once more by the same person with the same key, it is answered with the one that it made. */
async function makeOwnWorkspace(ctx: ProcessContext, name: string, by: MakingRequest) {
  const { userId } = by
  try {
    return await transaction(await chooseShard(ctx), async (tx) => {
      const workspace = await createWorkspace(tx, name)
      const owner = { workspaceId: workspace.id, userId, role: 'owner' } as const
      await addMember(tx, owner, changedByPerson(userId, by.req.id))
      await keepMade(inWorkspace(tx, workspace.id), by, workspace)
      return workspace
    })
  } catch (error) {
    // By its name, which is taken then.
    const located = await locateByName(ctx, name)
    if (!located) throw error
    const { ctx: shard, found } = located
    const made = await findMade(inWorkspace(shard, found.id), by, found)
    if (!made) throw error
    return made
  }
}
