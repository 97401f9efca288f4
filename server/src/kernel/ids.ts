import { randomFillSync } from 'node:crypto'

/** Before every id (RFC 9562 §5.9): where a walk over ids begins. */
export const nilId = '00000000-0000-0000-0000-000000000000'
/** After every id (RFC 9562 §5.10): where a page of the newest begins. */
export const maxId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The clock follows the database's in small steps; what goes back further has been wrong before. */
const clockStepMaxMs = 60_000

/**
 * UUIDv7 (RFC 9562 §5.7) made from the given clock. Ids of one generator are strictly increasing,
 * also within a millisecond (`rand_a` counts up from a random start), and while the clock goes back
 * by up to a minute. When it goes back further, it had jumped ahead: ids follow it back, because one
 * of next month has no partition.
 */
export function createIdGenerator(
  now: () => Date,
  fill: (bytes: Uint8Array) => void = fillFromPool,
) {
  const bytes = Buffer.alloc(16)
  let lastMs = 0
  let counter = 0
  return (): string => {
    const ms = now().getTime()
    fill(bytes)
    if (ms > lastMs || ms < lastMs - clockStepMaxMs) {
      lastMs = ms
      counter = bytes.readUInt16BE(6) & 0x7ff
    } else if (++counter > 0xfff) {
      lastMs += 1
      counter = 0
    }
    bytes.writeUIntBE(lastMs, 0, 6)
    bytes.writeUInt16BE(0x7000 | counter, 6)
    bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
    return uuidOfHex(bytes.toString('hex'))
  }
}

/** The smallest UUIDv7 of a millisecond: a bound for ranges over ids. */
export function firstIdAt(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}

/** The time in a UUIDv7. */
export const timeOfId = (id: string) =>
  new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))

/** Any RFC 9562 text form, any case; answered in lower case. */
export function parseUuid(text: string): string | undefined {
  return uuidPattern.test(text) ? text.toLowerCase() : undefined
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const uuidOfHex = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`

// One call to the system's generator serves 256 ids.
const pool = Buffer.alloc(4096)
let used = pool.length
function fillFromPool(bytes: Uint8Array) {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  bytes.set(pool.subarray(used, used + 16))
  used += 16
}
