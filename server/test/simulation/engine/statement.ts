import type { Backend, Result } from './backends.ts'

/** A statement on its way through the database. */
export interface Statement {
  backend: Backend
  text: string
  values: readonly unknown[]
  /** Called once, when it was executed or failed, with nothing else running. */
  executed: (outcome: Outcome) => Promise<void>
}

export type Outcome = { result: Result; error?: never } | { result?: never; error: Error }

export class ConnectionLost extends Error {
  override name = 'ConnectionLost'
  constructor() {
    super('the connection was lost')
  }
}

/** What the server itself answers to one of those that wait in a circle. */
export const deadlockDetected = () =>
  Object.assign(new Error('deadlock detected'), { code: '40P01' })

export const begins = ({ text }: Statement) => /^\s*(begin|start transaction)\b/i.test(text)
export const ends = ({ text }: Statement) => /^\s*(commit|rollback)\b/i.test(text)
