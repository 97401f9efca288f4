import type { Error as ErrorBody } from './generated/types.gen.ts'

/** What went wrong, in the words of the server; `unreachable` when it did not answer at all. */
export type Fault = Omit<ErrorBody, 'code'> & {
  code: ErrorBody['code'] | 'unreachable'
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
