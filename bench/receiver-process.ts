import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

// A receiver in a process of its own, so that it does not share the sender's event loop. Paths:
// /ok answers 200 at once; /hang never answers. Parent messages: 'reset', 'report'.

let received = 0
/** Milliseconds from the time in the body to the arrival here. */
let latencies: number[] = []

const server = createServer((request, response: ServerResponse) => {
  if (request.url === '/hang') return
  if (request.url !== '/timed') {
    request.resume()
    received += 1
    response.writeHead(200, { 'content-length': '0' }).end()
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const at = performance.timeOrigin + performance.now()
    const sent = /"committed_at":([\d.]+)/.exec(Buffer.concat(chunks).toString())?.[1]
    if (sent) latencies.push(at - Number(sent))
    received += 1
    response.writeHead(200, { 'content-length': '0' }).end()
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port }),
)

process.on('message', (message) => {
  if (message === 'reset') {
    received = 0
    latencies = []
  }
  if (message === 'report') process.send?.({ received, latencies })
})
process.on('disconnect', () => process.exit())
