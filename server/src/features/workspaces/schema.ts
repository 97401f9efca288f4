import { type Static, Type } from 'typebox'
import { Name, Nullable, Timestamp, Uuid } from '../../kernel/http/schema.ts'

const time = '2026-11-20T09:37:00.123Z'

export const Workspace = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    handle: Type.String({ description: 'Names it in addresses; never changes.' }),
    unsubscribe_by_reply: Type.Boolean({
      description: 'A reply that asks for it unsubscribes by itself; else it is suggested.',
    }),
    plan_api: Type.Boolean(),
    plan_webhooks: Type.Boolean(),
    plan_acquisition: Type.Boolean(),
    plan_rate: Type.Integer({ description: 'Requests by key in 10 s; 0 = unlimited.' }),
    plan_leads_max: Nullable(Type.Integer()),
    plan_monthly_credits: Type.Integer(),
    leadbank_scope_required: Type.Boolean(),
    timestamp_created: Timestamp,
    timestamp_updated: Timestamp,
  },
  {
    $id: 'Workspace',
    description: 'A workspace with its settings and its plan.',
    examples: [
      {
        ...{ id: '019a9d5e-0000-7c31-9d0a-5e1f6a2b3c4d', name: 'Sales', handle: 'sales' },
        ...{ unsubscribe_by_reply: true, plan_api: true, plan_webhooks: true },
        ...{ plan_acquisition: true, plan_rate: 10_000, plan_leads_max: null },
        ...{ plan_monthly_credits: 0, leadbank_scope_required: false },
        ...{ timestamp_created: time, timestamp_updated: time },
      },
    ],
  },
)

export const WorkspaceList = Type.Object(
  { items: Type.Array(Type.Unsafe<Static<typeof Workspace>>({ $ref: 'Workspace#' })) },
  { $id: 'WorkspaceList', description: 'Every workspace, newest first.' },
)

export const WorkspaceInput = Type.Object(
  { name: Name },
  {
    $id: 'WorkspaceInput',
    description: 'A workspace to make, with everything on.',
    additionalProperties: false,
    examples: [{ name: 'Sales, north' }],
  },
)

export const WorkspaceChanges = Type.Object(
  { name: Type.Optional(Name), unsubscribe_by_reply: Type.Optional(Type.Boolean()) },
  {
    $id: 'WorkspaceChanges',
    description: 'Settings of a workspace; only what is sent changes.',
    additionalProperties: false,
    examples: [{ unsubscribe_by_reply: true }],
  },
)

export const PlanInput = Type.Object(
  {
    plan_api: Type.Optional(Type.Boolean()),
    plan_webhooks: Type.Optional(Type.Boolean()),
    plan_acquisition: Type.Optional(Type.Boolean()),
    plan_rate: Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 })),
    plan_leads_max: Type.Optional(Nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))),
    // A balance, an integer of the database, has room for what is left of earlier months beside them.
    plan_monthly_credits: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999 })),
    leadbank_scope_required: Type.Optional(Type.Boolean()),
  },
  {
    $id: 'PlanInput',
    description: 'What a workspace may use; only what is sent changes.',
    additionalProperties: false,
    examples: [{ plan_webhooks: true, plan_leads_max: 100_000 }],
  },
)
