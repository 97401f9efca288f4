import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { withTimeout } from './shutdown.ts'

export interface Place {
  host: string
  port: number
  /** The setting that names the port. */
  variable: string
}

export interface Listener {
  /** With the port that was taken when 0 was asked for. */
  address: string
  /** Stops accepting, finishes running requests, and closes what is still open after 5 s. */
  drain: () => Promise<void>
}

/**
 * Before a database is made for a service that could not answer.
 *
 * @throws with what to set
 */
export async function requireFree(place: Place): Promise<void> {
  const probe = createServer()
  try {
    await once(probe.listen(place.port, place.host), 'listening')
  } catch (error) {
    throw explain(error as NodeJS.ErrnoException, place)
  }
  await probe[Symbol.asyncDispose]()
}

/** @throws with what to set */
export async function listenOn(app: FastifyInstance, place: Place): Promise<Listener> {
  const { host, port } = place
  const underWay = trackAnswers(app.server)
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw explain(error as NodeJS.ErrnoException, place)
  }
  const taken = (app.server.address() as AddressInfo).port
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    async drain() {
      // Else its client would keep the connection, and send the next request into its end.
      for (const answer of underWay) {
        if (!answer.headersSent) answer.setHeader('connection', 'close')
      }
      const closed = app.close().then(() => true)
      if (await withTimeout(closed, drainMs)) return
      app.server.closeAllConnections()
      await withTimeout(closed)
    },
  }
}

const drainMs = 5000

function trackAnswers(server: Server): ReadonlySet<ServerResponse> {
  const underWay = new Set<ServerResponse>()
  server.on('request', (_request, answer: ServerResponse) => {
    underWay.add(answer)
    answer.on('close', () => underWay.delete(answer))
  })
  return underWay
}

function explain(error: NodeJS.ErrnoException, { host, port, variable }: Place): Error {
  if (error.code === 'EADDRINUSE') {
    return new Error(
      `Port ${port} on ${host} is taken: stop the program that uses it, or set ${variable} to another port.`,
    )
  }
  if (error.code === 'EACCES') {
    return new Error(`Port ${port} is reserved: set ${variable} to one above 1023.`)
  }
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new Error(`This machine has no address ${host}: set HOST to one that it has.`)
  }
  return error
}
