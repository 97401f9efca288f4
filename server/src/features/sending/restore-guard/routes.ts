import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Nullable, ref, Timestamp } from '../../../kernel/http/schema.ts'
import { confirmHeld, type HeldShard, listHeld, seenOfAll } from './hold-all-shards.ts'

const count = (description: string) => Type.Integer({ description })

const SendingHold = Type.Object(
  {
    held: Nullable(
      Type.Object({
        since: Timestamp,
        detail: Type.String({ description: 'Why, as a sentence.' }),
        last_mail: Nullable(
          Type.Unsafe<Date>({
            ...Timestamp,
            description: 'Of the newest mail that the database knows of: later ones go out again.',
          }),
        ),
        active_campaigns: Type.Integer(),
        seen: Type.String({
          description: 'Names what is shown here: a confirmation sends it back.',
        }),
        missing_mails: count('That were sent before a failover, and go out again.'),
        leads_due: count('Whose next mail is due within the hour.'),
        pending_deliveries: count('Of webhooks.'),
      }),
    ),
  },
  {
    $id: 'SendingHold',
    description:
      'Null, or what holds everything back, and what leaves the database when that ends.',
    examples: [
      {
        held: {
          since: '2026-11-20T09:37:00.123Z',
          detail: 'The database is older than what was sent from it.',
          seen: 'first.2026-11-20T09:37:00.123Z.database_went_back.0',
          ...{ last_mail: '2026-11-20T08:00:00.000Z', active_campaigns: 2, leads_due: 40 },
          ...{ missing_mails: 0, pending_deliveries: 3 },
        },
      },
    ],
  },
)

const RestoreConfirmation = Type.Object(
  {
    seen: Type.String({
      description: 'Of the hold that was shown. When more has turned up since, nothing changes.',
    }),
  },
  {
    $id: 'RestoreConfirmation',
    examples: [{ seen: 'first.2026-11-20T09:37:00.123Z.operator.0' }],
    additionalProperties: false,
  },
)

const ConfirmedRestore = Type.Object(
  { uncertain: count('Mails that count as sent until a person says whether they arrived.') },
  { $id: 'ConfirmedRestore', description: 'Sending goes on.', examples: [{ uncertain: 0 }] },
)

export const sendingHoldSchemas = [SendingHold, RestoreConfirmation, ConfirmedRestore]

const tags = ['Workspace']
const config = { person: 'operator' as const }

/** After a restore, for whoever runs the installation. */
export const sendingHoldRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/sending-hold',
    {
      config,
      schema: {
        operationId: 'getSendingHold',
        summary: 'Whether all sending is held',
        description: 'Of every workspace, after a restore or a failover.',
        tags,
        response: { 200: ref(SendingHold) },
      },
    },
    async ({ process }) => {
      const found = await listHeld(process)
      return { held: found.length === 0 ? null : sumUp(found) }
    },
  )

  app.post(
    '/sending-hold/confirm',
    {
      config,
      schema: {
        operationId: 'confirmRestore',
        summary: 'Go on sending',
        description: 'By this database, in every workspace, as "sends confirm-restore" does.',
        tags,
        body: ref(RestoreConfirmation),
        response: { 200: ref(ConfirmedRestore) },
      },
    },
    async ({ process, person, body }) => {
      const confirmed = await confirmHeld(await listHeld(process), body.seen)
      // It is of no workspace, so no audit log has it.
      process.log.info({ user: person.id }, 'a person confirmed that sending goes on')
      return confirmed
    },
  )
}

/** Of several databases the one that has been held longest says why, and whose mails are oldest. */
function sumUp(held: HeldShard[]) {
  const [longest] = held.toSorted((a, b) => a.hold.since.getTime() - b.hold.since.getTime())
  const sum = (count: (one: HeldShard) => number) =>
    held.reduce((total, one) => total + count(one), 0)
  return {
    since: longest?.hold.since ?? new Date(0),
    detail: longest?.hold.detail ?? '',
    seen: seenOfAll(held),
    last_mail: longest?.last_mail ?? null,
    active_campaigns: sum((one) => one.active_campaigns),
    missing_mails: sum((one) => one.missing.length),
    leads_due: sum((one) => one.leads_due),
    pending_deliveries: sum((one) => one.pending_deliveries),
  }
}
