// A process that asks another one for `GET /health` again and again until its standard input ends,
// and then prints, as JSON, the longest that an answer took. Arguments: address, process id.
import { readFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { slowness } from '../processor-speed.ts'

const [address = '', pid = ''] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const pauseMs = 2

export interface Asked {
  answers: number
  /** Until the answer was there, by the clock. */
  longestMs: number
  /**
   * That the main thread of the service was at work while an answer was waited for, less the time
   * in which this process had no processor: what it would have taken on an idle machine of usual speed.
   */
  longestHeldMs: number
}

const slownessBefore = slowness()
const asked: Asked = { answers: 0, longestMs: 0, longestHeldMs: 0 }
let isOver = false
process.stdin.on('end', () => {
  isOver = true
})
process.stdin.resume()

while (!isOver) {
  const startedMs = performance.now()
  const own = scheduled('self')
  const service = scheduled(pid)
  await health()
  const heldMs = scheduled(pid).ranMs - service.ranMs - (scheduled('self').waitedMs - own.waitedMs)
  asked.answers += 1
  asked.longestMs = Math.max(asked.longestMs, performance.now() - startedMs)
  asked.longestHeldMs = Math.max(asked.longestHeldMs, heldMs)
  await pause(pauseMs)
}
agent.destroy()
asked.longestHeldMs /= Math.max(slownessBefore, slowness())
process.stdout.write(JSON.stringify(asked))

function health(): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(`${address}/health`, { agent }, (response) => {
      response.resume()
      response.once('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`${response.statusCode}`)),
      )
    })
    request.once('error', reject)
  })
}

/** Of the main thread of a process, by Linux: how long it ran, and waited for a processor. */
function scheduled(process: string): { ranMs: number; waitedMs: number } {
  const [ranNs, waitedNs] = readFileSync(`/proc/${process}/schedstat`, 'utf8').split(' ')
  return { ranMs: Number(ranNs) / 1e6, waitedMs: Number(waitedNs) / 1e6 }
}
