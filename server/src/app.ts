import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import {
  acquisitionApplicationRoutes,
  acquisitionApplicationSchemas,
  acquisitionRoutes,
  acquisitionSchemas,
} from './features/acquisition/index.ts'
import { auditRoutes, auditSchemas } from './features/audit/index.ts'
import {
  campaignPageRoutes,
  campaignPageSchemas,
  campaignRoutes,
  campaignSchemas,
} from './features/campaigns/index.ts'
import { erasureRoutes, erasureSchemas } from './features/erasure/index.ts'
import { handOverRoutes, handOverSchemas } from './features/hand-over/index.ts'
import { homeRoutes, homeSchemas } from './features/home/index.ts'
import {
  suppressionImportRoutes,
  suppressionImportSchemas,
} from './features/import-suppressions/index.ts'
import { importRoutes, importSchemas } from './features/imports/index.ts'
import { inboxRoutes, inboxSchemas } from './features/inbox/index.ts'
import { trackingUrlOf } from './features/kept-settings/index.ts'
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
  leadApplicationRoutes,
  leadApplicationSchemas,
  leadRoutes,
  leadSchemas,
} from './features/leads/index.ts'
import { type ListenForChanges, liveRoutes } from './features/live/index.ts'
import { consentRoutes, consentSchemas } from './features/mailboxes/consent/index.ts'
import { mailboxRoutes, mailboxSchemas } from './features/mailboxes/manage/index.ts'
import { memberRoutes, memberSchemas } from './features/members/index.ts'
import { createUnknownPage, pageRoutes } from './features/pages/index.ts'
import { previewRoutes, previewSchemas } from './features/previews/index.ts'
import { savedViewRoutes, savedViewSchemas } from './features/saved-views/index.ts'
import { searchRoutes, searchSchemas } from './features/search/index.ts'
import {
  sendingHoldRoutes,
  sendingHoldSchemas,
  sendingRoutes,
  sendingSchemas,
} from './features/sending/index.ts'
import {
  checkPerson,
  checkPersonAgain,
  countPerson,
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
import { webhookRoutes, webhookSchemas } from './features/webhooks/index.ts'
import { webhookReplayRoutes, webhookReplaySchemas } from './features/webhooks/replays/index.ts'
import { webhookTestRoutes, webhookTestSchemas } from './features/webhooks/test-calls/index.ts'
import { tryOutRoutes, tryOutSchemas } from './features/webhooks/try-out/index.ts'
import { workspaceRoutes, workspaceSchemas } from './features/workspaces/index.ts'
import type { ProcessContext } from './kernel/context.ts'
import type { AnsweredRequest } from './kernel/http/answered-request.ts'
import { docsRoutes } from './kernel/http/docs.ts'
import { healthRoutes, isProbe } from './kernel/http/health-routes.ts'
import { openApiRoute } from './kernel/http/openapi.ts'
import { createRateLimit, type RateLimit } from './kernel/http/rate-limit.ts'
import { createServer } from './kernel/http/server.ts'
import { tellTime } from './kernel/http/tell-time.ts'
import { packageFile } from './kernel/own-files.ts'

interface Feature {
  schemas: object[]
  routes: FastifyPluginAsync<{ attempts: RateLimit }>
}

/**
 * The public API, feature by feature. Their routes are called and not registered: a plugin has a
 * Fastify instance of its own, of which half a start was made. A route that reads another kind of body
 * is registered by its feature.
 */
const apiFeatures: Feature[] = [
  { schemas: keySchemas, routes: keyRoutes },
  { schemas: campaignSchemas, routes: campaignRoutes },
  { schemas: leadSchemas, routes: leadRoutes },
  { schemas: acquisitionSchemas, routes: acquisitionRoutes },
  { schemas: webhookSchemas, routes: webhookRoutes },
  { schemas: webhookTestSchemas, routes: webhookTestRoutes },
  { schemas: webhookEventSchemas, routes: webhookEventRoutes },
]

/** What only the application has, below /app. */
const applicationFeatures: Feature[] = [
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
  { schemas: suppressionImportSchemas, routes: suppressionImportRoutes },
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
    const isUsual = isProbe(request.route) && request.status < 400
    ctx.log[isUsual ? 'debug' : 'info'](request, 'request')
  }
  const rateLimit = await createRateLimit(ctx.config.redisUrl, ctx.log)
  const app = createServer(ctx, {
    ...{ authenticate: createAuthenticator(ctx), rateLimit, observe },
    showUnknownPage: createUnknownPage(),
  })
  app.addHook('onClose', async () => rateLimit.close())
  // All of them here: plugins that know the same schemas share their compilers.
  for (const { schemas } of [...apiFeatures, ...applicationFeatures])
    for (const schema of schemas) app.addSchema(schema)
  await plugin?.(app)
  for (const { routes } of apiFeatures) await routes(app, { attempts: rateLimit })
  const application = { rateLimit, listen }
  await app.register((below) => applicationRoutes(below, application), { prefix: '/app' })
  await app.register(pageRoutes)
  await app.register(trackingRoutes, { tokens: tokenBoxOf(ctx) })
  await app.register(healthRoutes, { linkUrlOf: trackingUrlOf })
  await app.register(openApiRoute, {
    file: packageFile('openapi.json'),
    config: ctx.config,
  })
  await app.register(docsRoutes)
  await app.ready()
  return app
}

/**
 * The browser application's side: the operations of the public API once more, by a session in place
 * of a key, and what only people do.
 */
async function applicationRoutes(
  app: FastifyInstance,
  { rateLimit, listen }: { rateLimit: RateLimit; listen: ListenForChanges | undefined },
) {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, door: sessionDoor }
  })
  app.decorateRequest('session', null)
  app.decorateRequest('person')
  app.addHook('onRequest', checkPerson)
  app.addHook('onRequest', countPerson(rateLimit))
  app.addHook('preValidation', checkPersonAgain)
  app.addHook('onSend', tellTime)
  for (const { routes } of [...apiFeatures, ...applicationFeatures])
    await routes(app, { attempts: rateLimit })
  await app.register(liveRoutes, { listen })
}
