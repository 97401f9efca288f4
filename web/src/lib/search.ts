import { isDay } from './time.ts'

// What a page takes of whatever somebody has in their address bar: what makes no sense is undefined.

export type Search = Record<string, unknown>

/** An address cannot tell `2026` from a number. Cut where the server would refuse it. */
export const textOf = (value: unknown, lengthMax: number) =>
  (typeof value === 'string' || typeof value === 'number') && String(value).trim() !== ''
    ? String(value).slice(0, lengthMax).toWellFormed()
    : undefined

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

export const idOf = (value: unknown) =>
  typeof value === 'string' && uuid.test(value) ? value : undefined

export const dayOf = (value: unknown) =>
  typeof value === 'string' && isDay(value) ? value : undefined

/** As the API says it, in this century: reckoned with and shown, others may be no time at all. */
export const instantOf = (value: unknown) =>
  typeof value === 'string' && /^20\d{2}-.*Z$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined

export const oneOf = <const Value>(values: readonly Value[], value: unknown) =>
  values.find((each) => each === value)

/** What is open is in the address, so that it can be sent to somebody and survives a reload. */
export const panelOf =
  <const Panel extends string>(...panels: Panel[]) =>
  ({ panel }: Search): { panel?: Panel } => ({ panel: oneOf(panels, panel) })
