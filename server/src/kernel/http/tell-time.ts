import type { onSendHookHandler } from 'fastify'

/**
 * The database's time, by which pages go. `Date` is the machine's, and the moment of the answer counts:
 * a request may have taken minutes.
 */
export const tellTime: onSendHookHandler = (req, reply, _payload, done) => {
  reply.header('x-outrider-time', req.process.now().toISOString())
  done()
}
