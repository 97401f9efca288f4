import type { Caller } from './access.ts'

export interface AnsweredRequest {
  request_id: string
  method: string
  /** The pattern, never the URL: a URL can hold an address. */
  route: string
  status: number
  ms: number
  workspace_id: string | undefined
  key_id: string | undefined
  user_id: string | undefined
}

/** Called once per answered request. */
export type Observe = (request: AnsweredRequest) => void

export const namesOf = (caller: Caller | undefined) => ({
  workspace_id: caller?.workspaceId,
  key_id: caller?.actor.type === 'key' ? caller.actor.id : undefined,
  user_id: caller?.actor.type === 'user' ? caller.actor.id : undefined,
})
