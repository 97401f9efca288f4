import type { FastifyRequest } from 'fastify'

/**
 * Requests that were let in before all of them was there. Who was shut out meanwhile must not go on
 * with what they began before, for as long as they like, so it is asked again.
 */
const late = new WeakSet<FastifyRequest>()

export function noteIfLate(req: FastifyRequest) {
  if (req.raw.complete === false) late.add(req)
}

export const isLate = (req: FastifyRequest): boolean => late.has(req)
