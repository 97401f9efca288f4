import { request as openRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestApi } from '../app.ts'

/** A request that was sent, and what its line in the log has to say. */
interface Sent {
  id: string
  method: string
  route: string
  status: number
  workspaceId: string | undefined
}

export interface Traffic {
  sent: Sent[]
  /** Everything that was made secret on the way. */
  secrets: string[]
  /** Sends a request over a socket. */
  ask: (method: string, route: string, path: string, options?: AskOptions) => Promise<Reply>
  /** Sends what is no HTTP. */
  sendBytes: (bytes: string) => Promise<void>
  /** Sends a request that has to succeed. */
  must: (method: string, route: string, path: string, body?: unknown) => Promise<Reply['body']>
}

interface AskOptions {
  body?: unknown
  /** Instead of the operator's; one that does not authenticate has no workspace. */
  key?: string
  authenticates?: boolean
  headers?: Record<string, string>
}

interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into arbitrary JSON
  body: any
}

/** Sends requests to the listening API, each with a text in every header that anybody may set. */
export function createTraffic(api: TestApi, port: number, everywhere: string): Traffic {
  const sent: Sent[] = []
  const ask: Traffic['ask'] = async (method, route, path, options = {}) => {
    const { body, key = api.key, authenticates = true, headers = {} } = options
    const id = `request-${sent.length}`
    const payload = typeof body === 'string' ? body : JSON.stringify(body)
    const request = openRequest({
      ...{ host: '127.0.0.1', port, method, path, agent: false },
      headers: {
        authorization: `Bearer ${key}`,
        'x-request-id': id,
        'user-agent': everywhere,
        cookie: `session=${everywhere}`,
        'x-forwarded-for': everywhere,
        ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
    })
    const answer = await new Promise<{ status: number; body: unknown }>((resolve, reject) => {
      request.on('error', reject)
      request.on('response', (response) => {
        const status = response.statusCode ?? 0
        const isJson = response.headers['content-type']?.startsWith('application/json')
        const read = (body: string) => (isJson && body !== '' ? JSON.parse(body) : undefined)
        text(response).then((body) => resolve({ status, body: read(body) }), reject)
      })
      request.end(payload)
    })
    const isOurs = authenticates && route.startsWith('/')
    const workspaceId = isOurs ? api.workspaceId : undefined
    sent.push({ id, method, route, status: answer.status, workspaceId })
    return answer
  }
  return {
    sent,
    secrets: [api.key],
    ask,
    async sendBytes(bytes) {
      const socket = connect(port, '127.0.0.1')
      socket.write(bytes)
      const id = /x-request-id: (\S+)/.exec(await text(socket))?.[1] ?? 'none'
      const status = 400
      sent.push({ id, method: 'unknown', route: 'unknown', status, workspaceId: undefined })
    },
    async must(method, route, path, body) {
      const answer = await ask(method, route, path, { body })
      if (answer.status < 300) return answer.body
      throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    },
  }
}
