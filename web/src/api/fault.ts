import i18next from 'i18next'
import type { Error as ErrorBody } from './generated/types.gen.ts'

/**
 * What went wrong, in the words of the server; `unreachable` when it did not answer at all,
 * `refused_by_proxy` when what stands before it did.
 */
export type Fault = Omit<ErrorBody, 'code'> & {
  code: ErrorBody['code'] | 'unreachable' | 'refused_by_proxy'
  /** The server asks to be asked again so soon that nobody need be told. */
  retryAfterMs?: number
}

const patienceMaxS = 10

/** As one of ours, whatever was thrown. */
export function faultOf(thrown: unknown, response: Response | undefined): Fault {
  if (isFault(thrown)) return withRetryAfter(thrown, response)
  const status = response?.status ?? 0
  // A proxy whose server is away for a moment says so by 5xx, and some by 404 or 408.
  if (status < 400 || status >= 500 || status === 404 || status === 408) return unreachable
  return withRetryAfter(refusedByProxy(status), response)
}

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
  // Not before it is shown: the catalogue is read after this file.
  get message() {
    return i18next.t(($) => $.fault.unreachable)
  },
  request_id: '',
}

const refusedByProxy = (status: number): Fault => ({
  ...{ statusCode: status, error: 'Refused by a proxy', code: 'refused_by_proxy', request_id: '' },
  message: i18next.t(($) => $.fault[status === 413 ? 'tooLargeForProxy' : 'refusedByProxy'], {
    status,
  }),
})

export const isFault = (thrown: unknown): thrown is Fault =>
  typeof thrown === 'object' && thrown !== null && 'code' in thrown && 'statusCode' in thrown
