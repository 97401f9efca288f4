import type { FastifyInstance } from 'fastify'
import { trackingUrlOf } from '../features/kept-settings/index.ts'
import type { ProcessContext } from '../kernel/context.ts'
import { AppError } from '../kernel/errors.ts'
import { healthRoutes } from '../kernel/http/health-routes.ts'
import { createServer } from '../kernel/http/server.ts'

/** What a runner by itself tells a supervisor and Prometheus. Nothing here takes a key. */
export function buildRunnerStatus(ctx: ProcessContext): FastifyInstance {
  const app = createServer(ctx, {
    authenticate: async () => {
      throw new AppError('invalid_key', 'A runner takes no keys; ask the API.')
    },
    rateLimit: { consume: async () => ({}) },
    observe: (request) => ctx.metrics.request(request),
  })
  app.register(healthRoutes, { linkUrlOf: trackingUrlOf })
  return app
}
