import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

/** What a webhook holds, as far as the sandbox reads it. */
export interface ReceivedEvent {
  id: string
  type: string
  timestamp: string
  lead_email: string | null
  data: {
    message?: { step: number; variant: number; mailbox: string; subject: string }
    reply?: { text: string; snippet: string }
    bounce?: { kind: string; code: string }
    campaign?: { name: string; status_reason: string | null }
    contact?: { title: string | null }
    previous_status?: string
    mailbox?: string
    reason?: string
    url?: string
  }
}

export interface ReceiverListener {
  verified: (event: ReceivedEvent) => void
  /** Its signature does not hold. */
  refused: () => void
  /** Answered as a server in trouble: the service has to come again. */
  stumbled: () => void
}

export interface Receiver extends AsyncDisposable {
  url: string
  /** Before it takes anything. */
  trust: (signingSecret: string) => void
  /** Events by their type, each counted once however often it came. */
  counts: () => Record<string, number>
  refusals: () => number
}

/** In trouble once, so that a retry is to be seen. */
const stumblesAt = 25

/** The other end, as a customer would write it: verified with the library that everybody may use. */
export async function startReceiver(listener: ReceiverListener): Promise<Receiver> {
  const counts = new Map<string, number>()
  const seen = new Set<string>()
  let webhook: Webhook | undefined
  let requests = 0
  let refusals = 0

  const take = async (request: IncomingMessage): Promise<number> => {
    const body = await text(request)
    requests += 1
    if (requests === stumblesAt) {
      listener.stumbled()
      return 503
    }
    const event = verify(webhook, body, request.headers as Record<string, string>)
    if (!event) {
      refusals += 1
      listener.refused()
      return 401
    }
    if (!seen.has(event.id)) {
      seen.add(event.id)
      counts.set(event.type, (counts.get(event.type) ?? 0) + 1)
      listener.verified(event)
    }
    return 204
  }

  const server = createServer((request, response) => {
    take(request).then(
      (status) => response.writeHead(status).end(),
      () => response.destroy(),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`,
    trust: (secret) => {
      webhook = new Webhook(secret)
    },
    counts: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
    refusals: () => refusals,
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

function verify(
  webhook: Webhook | undefined,
  body: string,
  headers: Record<string, string>,
): ReceivedEvent | undefined {
  try {
    return webhook?.verify(body, headers) as ReceivedEvent | undefined
  } catch {
    return undefined
  }
}
