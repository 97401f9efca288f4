import { learnTime } from '../lib/clock.ts'
import { setConnection } from './connection.ts'
import { faultOf, unreachable } from './fault.ts'
import { client } from './generated/client.gen.ts'

let workspaceId: string | undefined

/** Every request from now on is about this workspace. */
export function setWorkspace(id: string) {
  workspaceId = id
}

/** The operations below /app, where a session is asked for in place of a key. */
export function setUpClient() {
  client.setConfig({ baseUrl: '' })
  client.interceptors.request.use((request) => {
    // What was begun in another workspace names it.
    if (workspaceId && !request.headers.has('X-Workspace-ID')) {
      request.headers.set('X-Workspace-ID', workspaceId)
    }
    return request
  })
  client.interceptors.response.use((response) => {
    learnTime(response.headers.get('x-outrider-time'))
    return response
  })
  client.interceptors.error.use((thrown, response) => {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') return thrown
    const fault = faultOf(thrown, response)
    if (fault === unreachable) setConnection('gone')
    if (fault.code === 'not_signed_in') setConnection('signed-out')
    return fault
  })
}
