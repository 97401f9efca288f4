import { Pool } from 'undici'

// A client in a process of its own. Arguments: URL, key, connections, seconds, body. Prints the answers/s, and how many
// there were in all.
// With a body it posts: {n} in it counts to 999 again and again, {word} is another word each time around.

const [url = '', key = '', connections = '32', seconds = '3', body] = process.argv.slice(2)
const { origin, pathname } = new URL(url)
const pool = new Pool(origin, { connections: Number(connections), pipelining: 1 })
const headers = {
  authorization: `Bearer ${key}`,
  ...(body === undefined ? {} : { 'content-type': 'application/json' }),
}
let posted = 0
const words = ['interested', 'not_interested']

/** What to ask with. */
function nextRequest() {
  if (body === undefined) return { method: 'GET' as const }
  const word = words[Math.floor(posted / 1000) % 2] ?? ''
  const n = String(posted++ % 1000)
  return { method: 'POST' as const, body: body.replace('{n}', n).replace('{word}', word) }
}
const warmMs = 500
let answered = 0
let answeredInTotal = 0
let failed = 0
let isRunning = true

function next() {
  if (!isRunning) return
  pool.dispatch(
    { path: pathname, headers, ...nextRequest() },
    {
      onRequestStart() {},
      onResponseStart(_controller, status) {
        if (status !== 200) failed += 1
      },
      onResponseData() {},
      onResponseEnd() {
        answered += 1
        answeredInTotal += 1
        next()
      },
      onResponseError() {
        failed += 1
        next()
      },
    },
  )
}
for (let i = 0; i < Number(connections); i++) next()
setTimeout(() => {
  answered = 0
  const startedMs = performance.now()
  setTimeout(() => {
    isRunning = false
    const perSecond = answered / ((performance.now() - startedMs) / 1000)
    process.stdout.write(JSON.stringify({ perSecond, answeredInTotal, failed }), () =>
      process.exit(),
    )
  }, Number(seconds) * 1000)
}, warmMs)
