import type { Error as ErrorBody } from './generated/types.gen.ts'

/** What went wrong, in the words of the server; `unreachable` when it did not answer at all. */
export type Fault = Omit<ErrorBody, 'code'> & {
  code: ErrorBody['code'] | 'unreachable'
  /** The server asks to be asked again so soon that nobody need be told. */
  retryAfterMs?: number
}

const patienceMaxS = 10

/** With what the answer says of when to ask again. */
export function withRetryAfter(fault: Fault, response: Response | undefined): Fault {
  // The header may also be a date, which is for longer than anybody waits.
  const seconds = Number(response?.headers.get('retry-after') ?? Number.NaN)
  const isSoon = seconds >= 0 && seconds <= patienceMaxS
  return isSoon ? { ...fault, retryAfterMs: seconds * 1000 } : fault
}

export const unreachable: Fault = {
  statusCode: 0,
  error: 'Unreachable',
  code: 'unreachable',
  message: 'The server does not answer. Nothing you typed is lost; try again in a moment.',
  request_id: '',
}

export const isFault = (thrown: unknown): thrown is Fault =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'statusCode' in thrown
