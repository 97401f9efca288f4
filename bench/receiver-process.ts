import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// A receiver in a process of its own, so that it does not share the sender's event loop. Paths:
// /ok answers 200 at once; /hang never answers; /timed notes when an event was here for the first
// time. Parent messages: 'reset', 'report'.

/** By event id: ms since 1970. */
let arrivals = new Map<string, number>()

const server = createServer((request, response: ServerResponse) => {
  if (request.url === '/hang') return
  request.resume()
  if (request.url !== '/timed') {
    response.writeHead(200, { 'content-length': '0' }).end()
    return
  }
  request.on('end', () => {
    const id = String(request.headers['webhook-id'])
    if (!arrivals.has(id)) arrivals.set(id, performance.timeOrigin + performance.now())
    response.writeHead(200, { 'content-length': '0' }).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)

process.on('message', (message) => {
  if (message === 'reset') arrivals = new Map()
  if (message === 'report') process.send?.([...arrivals])
})
process.on('disconnect', () => process.exit())
