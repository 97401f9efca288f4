import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import {
  acquisitionApplicationRoutes,
  acquisitionApplicationSchemas,
  acquisitionRoutes,
  acquisitionSchemas,
  grantMonthlyCredits,
} from './features/acquisition/index.ts'

import { auditRoutes, auditSchemas, dropOldEntries } from './features/audit/index.ts'
import {
  campaignPageRoutes,
  campaignPageSchemas,
  campaignRoutes,
  campaignSchemas,
  followKind,
} from './features/campaigns/index.ts'
import {
  dropOldPartitions,
  observeAttempt,
  observeBacklog,
  startDeliveryRunner,
} from './features/deliveries/index.ts'
import { erasureRoutes, erasureSchemas } from './features/erasure/index.ts'
import { handOverRoutes, handOverSchemas } from './features/hand-over/index.ts'
import { homeRoutes, homeSchemas } from './features/home/index.ts'
import {
  dropOldImports,
  ImportRunner,
  importKind,
  importRoutes,
  importSchemas,
} from './features/imports/index.ts'
import { inboxRoutes, inboxSchemas, startInboxRunner } from './features/inbox/index.ts'
import {
  createAuthenticator,
  keyFamilyRoutes,
  keyFamilySchemas,
  keyRoutes,
  keySchemas,
} from './features/keys/index.ts'
import { labelRoutes, labelSchemas } from './features/labels/index.ts'
import { leadOverviewRoutes, leadOverviewSchemas } from './features/lead-overview/index.ts'
import {
  campaignLeadRoutes,
  campaignLeadSchemas,
  dropOldLeadJobs,
  followSteps,
  leadApplicationRoutes,
  leadApplicationSchemas,
  leadJobKind,
  leadRoutes,
  leadSchemas,
  runLeadJobs,
} from './features/leads/index.ts'
import { type ListenForChanges, liveRoutes } from './features/live/index.ts'
import { MailboxOwner } from './features/mailbox-lanes/index.ts'
import { consentRoutes, consentSchemas } from './features/mailboxes/consent/index.ts'
import { sealedMailboxColumns } from './features/mailboxes/index.ts'
import { mailboxRoutes, mailboxSchemas } from './features/mailboxes/manage/index.ts'
import { memberRoutes, memberSchemas } from './features/members/index.ts'
import {
  dropOldMessages,
  forgetDroppedWords,
  indexMissingThreads,
} from './features/messages/index.ts'
import { cleanUpMoves } from './features/moves/index.ts'
import { pageRoutes } from './features/pages/index.ts'
import { previewRoutes, previewSchemas } from './features/previews/index.ts'
import { savedViewRoutes, savedViewSchemas } from './features/saved-views/index.ts'
import { searchRoutes, searchSchemas } from './features/search/index.ts'
import {
  type RestoreMarker,
  sendingHoldRoutes,
  sendingHoldSchemas,
  sendingRoutes,
  sendingSchemas,
  startSendingRunner,
} from './features/sending/index.ts'
import {
  checkPerson,
  linkRoutes,
  linkSchemas,
  oidcRoutes,
  oidcSchemas,
  profileRoutes,
  profileSchemas,
  sessionDoor,
  signInRoutes,
  signInSchemas,
} from './features/sign-in/index.ts'
import { suppressionRoutes, suppressionSchemas } from './features/suppression/index.ts'
import { tokenBoxOf, trackingRoutes } from './features/tracking/index.ts'
import { undoRoutes, undoSchemas } from './features/undo-suppression/index.ts'
import { usageRoutes, usageSchemas } from './features/usage/index.ts'
import { webhookHealthRoutes, webhookHealthSchemas } from './features/webhooks/health/index.ts'
import {
  sentRequestRoutes,
  sentRequestSchemas,
  webhookEventRoutes,
  webhookEventSchemas,
} from './features/webhooks/history/index.ts'
import { sealedWebhookColumns, webhookRoutes, webhookSchemas } from './features/webhooks/index.ts'
import { webhookReplayRoutes, webhookReplaySchemas } from './features/webhooks/replays/index.ts'
import { webhookTestRoutes, webhookTestSchemas } from './features/webhooks/test-calls/index.ts'
import { dropOldCalls, tryOutRoutes, tryOutSchemas } from './features/webhooks/try-out/index.ts'
import {
  listWorkspaceIdsHere,
  workspaceRoutes,
  workspaceSchemas,
} from './features/workspaces/index.ts'
import { aroundPooler, inWorkspace, type ProcessContext } from './kernel/context.ts'
import { docsRoutes } from './kernel/http/docs.ts'
import { dropOldAnswers, sealedAnswers } from './kernel/http/idempotency.ts'
import { openApiRoute } from './kernel/http/openapi.ts'
import { operationRoutes } from './kernel/http/operations.ts'
import { createRateLimit, type RateLimit } from './kernel/http/rate-limit.ts'
import { type AnsweredRequest, createServer } from './kernel/http/server.ts'
import { describeError } from './kernel/log.ts'
import { createBusyShare } from './kernel/runner/busy-share.ts'
import type { ListenForHints } from './kernel/runner/hint.ts'
import { startJob } from './kernel/runner/job.ts'
import { alone, bucketsOf, startLeader } from './kernel/runner/leader.ts'
import { startLoop } from './kernel/runner/loop.ts'
import type { SealedColumn } from './kernel/sealed-columns/index.ts'
import { ensurePartitions } from './partitions.ts'

/** The public API, feature by feature. */
const apiFeatures = [
  { schemas: keySchemas, routes: keyRoutes },
  { schemas: campaignSchemas, routes: campaignRoutes },
  { schemas: leadSchemas, routes: leadRoutes },
  { schemas: acquisitionSchemas, routes: acquisitionRoutes },
  { schemas: webhookSchemas, routes: webhookRoutes },
  { schemas: webhookTestSchemas, routes: webhookTestRoutes },
  { schemas: webhookEventSchemas, routes: webhookEventRoutes },
]

/** What only the application has, below /app. */
const applicationFeatures: {
  schemas: object[]
  routes: FastifyPluginAsync<{ attempts: RateLimit }>
}[] = [
  { schemas: signInSchemas, routes: signInRoutes },
  { schemas: oidcSchemas, routes: oidcRoutes },
  { schemas: profileSchemas, routes: profileRoutes },
  { schemas: memberSchemas, routes: memberRoutes },
  { schemas: linkSchemas, routes: linkRoutes },
  { schemas: mailboxSchemas, routes: mailboxRoutes },
  { schemas: consentSchemas, routes: consentRoutes },
  { schemas: handOverSchemas, routes: handOverRoutes },
  { schemas: labelSchemas, routes: labelRoutes },
  { schemas: suppressionSchemas, routes: suppressionRoutes },
  { schemas: undoSchemas, routes: undoRoutes },
  { schemas: inboxSchemas, routes: inboxRoutes },
  { schemas: homeSchemas, routes: homeRoutes },
  { schemas: searchSchemas, routes: searchRoutes },
  { schemas: keyFamilySchemas, routes: keyFamilyRoutes },
  { schemas: webhookHealthSchemas, routes: webhookHealthRoutes },
  { schemas: sentRequestSchemas, routes: sentRequestRoutes },
  { schemas: webhookReplaySchemas, routes: webhookReplayRoutes },
  { schemas: tryOutSchemas, routes: tryOutRoutes },
  { schemas: workspaceSchemas, routes: workspaceRoutes },
  { schemas: usageSchemas, routes: usageRoutes },
  { schemas: leadApplicationSchemas, routes: leadApplicationRoutes },
  { schemas: importSchemas, routes: importRoutes },
  { schemas: savedViewSchemas, routes: savedViewRoutes },
  { schemas: leadOverviewSchemas, routes: leadOverviewRoutes },
  { schemas: erasureSchemas, routes: erasureRoutes },
  { schemas: acquisitionApplicationSchemas, routes: acquisitionApplicationRoutes },
  { schemas: auditSchemas, routes: auditRoutes },
  { schemas: campaignPageSchemas, routes: campaignPageRoutes },
  { schemas: campaignLeadSchemas, routes: campaignLeadRoutes },
  { schemas: previewSchemas, routes: previewRoutes },
  { schemas: sendingSchemas, routes: sendingRoutes },
  { schemas: sendingHoldSchemas, routes: sendingHoldRoutes },
]

interface ApiOptions {
  /** Registered before the routes, so that it sees each of them. */
  plugin?: ((app: FastifyInstance) => Promise<void>) | undefined
  /** How open pages hear of changes that other processes make; they ask by themselves without. */
  listen?: ListenForChanges | undefined
}

/** Builds the API without listening: tests inject requests, entry points listen. */
export async function buildApi(
  ctx: ProcessContext,
  { plugin, listen }: ApiOptions = {},
): Promise<FastifyInstance> {
  const observe = (request: AnsweredRequest) => {
    ctx.metrics.request(request)
    ctx.log.info(request, 'request')
  }
  const rateLimit = await createRateLimit(ctx.config.redisUrl, ctx.log)
  const app = createServer(ctx, { authenticate: createAuthenticator(ctx), rateLimit, observe })
  app.addHook('onClose', async () => rateLimit.close())
  // All of them here: plugins that know the same schemas share their compilers.
  for (const { schemas } of [...apiFeatures, ...applicationFeatures])
    for (const schema of schemas) app.addSchema(schema)
  await plugin?.(app)
  for (const { routes } of apiFeatures) await app.register(routes)
  const application = { attempts: rateLimit, listen }
  await app.register((below) => applicationRoutes(below, application), { prefix: '/app' })
  await app.register(pageRoutes)
  await app.register(trackingRoutes, { tokens: tokenBoxOf(ctx) })
  await app.register(operationRoutes)
  await app.register(openApiRoute, {
    file: new URL('../openapi.json', import.meta.url),
    config: ctx.config,
  })
  await app.register(docsRoutes, {
    basePath: new URL(ctx.config.baseUrl).pathname.replace(/\/$/, ''),
  })
  await app.ready()
  return app
}

/**
 * The browser application's side: the operations of the public API once more, by a session in place
 * of a key, and what only people do.
 */
async function applicationRoutes(
  app: FastifyInstance,
  { attempts, listen }: { attempts: RateLimit; listen: ListenForChanges | undefined },
) {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, door: sessionDoor }
  })
  app.decorateRequest('session', null)
  app.decorateRequest('person')
  app.addHook('onRequest', checkPerson)
  for (const { routes } of apiFeatures) await app.register(routes)
  for (const { routes } of applicationFeatures) await app.register(routes, { attempts })
  await app.register(liveRoutes, { listen })
}

export interface Runner {
  /** Ends what is under way and gives the leases back. */
  stop(): Promise<void>
}

const upkeepEveryMs = 3_600_000

/** Starts the loops of the runner: deliveries, sending, reading mail, monthly credits, the upkeep of partitions. */
export async function startRunner(
  ctx: ProcessContext,
  options: { listen?: ListenForHints; marker?: RestoreMarker } = {},
): Promise<Runner> {
  const hints = await shareHints(options.listen)
  const leader = hints.listen ? await startLeader(ctx, hints.listen) : undefined
  const { scope } = leader ?? { scope: alone }
  // First, because it looks whether the database was put back: then nothing must leave it.
  const { marker } = options
  const owner = new MailboxOwner(ctx)
  const sending = await startSendingRunner(ctx, owner, {
    ...{ ...hints, scope },
    ...(marker ? { marker } : {}),
  })
  ctx.metrics.gauge('mailboxes_awake', sending.lanesAwake)
  ctx.metrics.gauge('sending_held', () => Number(sending.isHeld()))
  const { holdsAll: isHeld } = sending
  const deliveries = await startDeliveryRunner(ctx, {
    ...{ ...hints, scope, isHeld },
    onAttempt: (attempt) => observeAttempt(ctx, attempt),
    busyShare: createBusyShare(),
  })
  observeBacklog(ctx, () => bucketsOf(scope(), deliveries.buckets()))
  ctx.metrics.gauge('lanes_leased', deliveries.lanesLeased)
  ctx.metrics.gauge('results_refused', deliveries.resultsRefused)
  const inboxes = startInboxRunner(ctx, owner, { ...hints, scope, isHeld })
  ctx.metrics.gauge('mailboxes_read', inboxes.mailboxesRead)
  ctx.metrics.gauge('mailboxes_waiting', inboxes.mailboxesWaiting)
  ctx.metrics.gauge('imap_connections', inboxes.imapConnections)
  const stopping = new AbortController()
  /** What one does for all. */
  const startUpkeep = (name: string, work: () => Promise<void>) =>
    startLoop(ctx, name, upkeepEveryMs, async () => {
      if (scope() !== 'none') await work()
    })
  const { buckets } = owner
  const following = startJob(ctx, followKind, {
    ...{ ...hints, scope, buckets },
    look: () => followSteps(ctx, stopping.signal),
  })
  const leadJobs = startJob(ctx, leadJobKind, {
    ...{ ...hints, scope, buckets },
    look: () => runLeadJobs(ctx, stopping.signal),
  })
  const imports = new ImportRunner(ctx)
  const importing = startJob(ctx, importKind, {
    ...{ ...hints, scope, buckets },
    look: () => imports.look(),
    isFull: () => imports.isFull,
  })
  const credits = startUpkeep('credits', () => grantMonthlyCredits(ctx))
  const indexing = startUpkeep('words of conversations', async () => {
    for (const id of await listWorkspaceIdsHere(ctx)) {
      const own = inWorkspace(ctx, id)
      await forgetDroppedWords(own, id)
      await indexMissingThreads(own, id, stopping.signal)
    }
  })
  const upkeep = startUpkeep('upkeep', () => keepPartitions(aroundPooler(ctx)))
  return {
    async stop() {
      stopping.abort()
      const loops = [
        upkeep,
        credits,
        indexing,
        leadJobs,
        importing,
        imports,
        following,
        deliveries,
        sending,
        inboxes,
      ]
      // What fails in one of them keeps no other from writing its results.
      const ends = await Promise.allSettled(loops.map((loop) => loop.stop()))
      ends.push(...(await Promise.allSettled([owner.stop()])))
      await leader?.stop()
      for (const end of ends) {
        if (end.status === 'rejected')
          ctx.log.warn(describeError(end.reason), 'a runner did not end well')
      }
    },
  }
}

/** One connection hears the hints for all that wait for them, until the last one has stopped. */
async function shareHints(
  listen: ListenForHints | undefined,
): Promise<{ listen?: ListenForHints }> {
  if (!listen) return {}
  const waiting = new Set<(hint: string) => void>()
  const unlisten = await listen((hint) => {
    for (const wake of waiting) wake(hint)
  })
  return {
    async listen(wake) {
      waiting.add(wake)
      return async () => {
        waiting.delete(wake)
        if (waiting.size === 0) await unlisten().catch(() => undefined)
      }
    },
  }
}

/** Partitions ahead of time, and nothing longer than it has to be kept. */
async function keepPartitions(ctx: ProcessContext) {
  await ensurePartitions(ctx)
  await dropOldPartitions(ctx)
  await dropOldMessages(ctx)
  await dropOldAnswers(ctx)
  await cleanUpMoves(ctx)
  for (const id of await listWorkspaceIdsHere(ctx)) {
    const own = inWorkspace(ctx, id)
    await dropOldEntries(own, id)
    await dropOldCalls(own, id)
    await dropOldLeadJobs(own, id)
    await dropOldImports(own, id)
  }
}

/** Everything that is sealed with OUTRIDER_SECRET_KEY. */
export const sealedColumns: SealedColumn[] = [
  ...sealedMailboxColumns,
  ...sealedWebhookColumns,
  ...sealedAnswers,
]
