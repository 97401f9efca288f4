import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { asAdmin, asViewer } from '../../kernel/http/access.ts'
import { ref, Uuid } from '../../kernel/http/schema.ts'
import { changedBy } from '../audit/index.ts'
import { createInvitation, deleteInvitation, listInvitations } from './invitations.ts'
import { createResetLink, leaveWorkspace, listMembers, removeMember, setRole } from './members.ts'
import {
  CreatedInvitation,
  Invitation,
  InvitationInput,
  InvitationList,
  Member,
  MemberList,
  ResetLink,
  RoleInput,
} from './schema.ts'

export const memberSchemas = [
  ...[Member, MemberList, RoleInput, ResetLink],
  ...[InvitationInput, Invitation, CreatedInvitation, InvitationList],
]

const tags = ['Members']
const params = Type.Object({ id: Uuid })
const withoutUrl = (body: Record<string, unknown>) => ({ ...body, url: null })

export const memberRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/members',
    {
      config: asViewer,
      schema: {
        operationId: 'listMembers',
        summary: 'List members',
        description: 'Everybody in this workspace, by address.',
        tags,
        response: { 200: ref(MemberList) },
      },
    },
    async (req) => ({ items: await listMembers(req.ctx, req.caller.workspaceId) }),
  )

  app.patch(
    '/members/:id',
    {
      config: asAdmin,
      schema: {
        operationId: 'setMemberRole',
        summary: 'Change the role of a member',
        description: 'Owners are made and unmade by owners; a workspace keeps one.',
        tags,
        params,
        body: ref(RoleInput),
        response: { 200: ref(Member) },
      },
    },
    (req) => setRole(req.ctx, req.caller.workspaceId, req.params.id, req.body.role, changedBy(req)),
  )

  app.delete(
    '/members/:id',
    {
      config: asAdmin,
      schema: {
        operationId: 'removeMember',
        summary: 'Remove a member',
        description: 'From this workspace alone; it holds at once.',
        tags,
        params,
        response: { 200: ref(Member) },
      },
    },
    (req) => removeMember(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req)),
  )

  app.delete(
    '/membership',
    {
      config: asViewer,
      schema: {
        operationId: 'leaveWorkspace',
        summary: 'Leave the workspace',
        description: 'Whoever calls is a member of this workspace no more; its last owner stays.',
        tags,
        response: { 200: ref(Member) },
      },
    },
    (req) => leaveWorkspace(req.ctx, req.caller.workspaceId, changedBy(req)),
  )

  app.post(
    '/members/:id/reset-link',
    {
      // The link must be there for whoever joins another workspace, before its maker looks again.
      config: { ...asAdmin, mask: withoutUrl, idempotency: 'lease' },
      schema: {
        operationId: 'createResetLink',
        summary: 'Make a link to set a new password',
        description:
          'For somebody who signs in by password and has rights in this workspace alone.',
        tags,
        params,
        response: { 200: ref(ResetLink) },
      },
    },
    async (req) => {
      const { path, timestamp_expires } = await createResetLink(
        req.ctx,
        req.caller.workspaceId,
        req.params.id,
        changedBy(req),
      )
      return { url: `${req.ctx.config.baseUrl}${path}`, timestamp_expires }
    },
  )

  app.get(
    '/invitations',
    {
      config: asViewer,
      schema: {
        operationId: 'listInvitations',
        summary: 'List invitations',
        description: 'Those that can be accepted, newest first.',
        tags,
        response: { 200: ref(InvitationList) },
      },
    },
    async (req) => ({ items: await listInvitations(req.ctx, req.caller.workspaceId) }),
  )

  app.post(
    '/invitations',
    {
      config: { ...asAdmin, mask: withoutUrl, idempotency: 'lease' },
      schema: {
        operationId: 'createInvitation',
        summary: 'Invite somebody',
        description: 'The link is good for seven days and once; hand it over yourself.',
        tags,
        body: ref(InvitationInput),
        response: { 201: ref(CreatedInvitation) },
      },
    },
    async (req, reply) => {
      reply.code(201)
      return createInvitation(req.ctx, req.caller.workspaceId, req.body, changedBy(req))
    },
  )

  app.delete(
    '/invitations/:id',
    {
      config: asAdmin,
      schema: {
        operationId: 'deleteInvitation',
        summary: 'Withdraw an invitation',
        description: 'Its link opens nothing any more.',
        tags,
        params,
        response: { 200: ref(Invitation) },
      },
    },
    (req) => deleteInvitation(req.ctx, req.caller.workspaceId, req.params.id, changedBy(req)),
  )
}
