import type { FastifyRequest } from 'fastify'

/**
 * Requests whose caller was let in before their whole body had arrived. Whoever has lost their rights
 * since must not go on with it, however slowly they send, so the caller is checked again at its end.
 */
const incomplete = new WeakSet<FastifyRequest>()

export function noteIfIncomplete(req: FastifyRequest) {
  if (req.raw.complete === false) incomplete.add(req)
}

export const wasIncomplete = (req: FastifyRequest): boolean => incomplete.has(req)
