import { on } from 'node:events'
import { type MessagePort, parentPort } from 'node:worker_threads'
import { forecast } from './forecast.ts'

/* The worker that makes large forecasts, one after the other. `forecastCampaign` is the other side. */

const port = parentPort as MessagePort

for await (const [asked] of on(port, 'message')) {
  port.postMessage(forecast(...(asked as Parameters<typeof forecast>)))
}
