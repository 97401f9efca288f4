import { sql } from 'kysely'
import type { ProcessContext } from '../context.ts'
import { uuidOfHex } from '../ids.ts'
import { describeError } from '../log.ts'
import { bucketCount, bucketOf } from './leases.ts'

export const hintChannel = 'outrider_due'

const hintEveryMs = 20
/** A NOTIFY takes 8,000 bytes; a lane is 43 of them. */
const lanesOfHintMax = 150
/** Beyond it, the owners find the rest by themselves. */
const lanesMax = 3000

/** Calls back on every hint; resolves to the end of listening. */
export type ListenForHints = (onHint: (hint: string) => void) => Promise<() => Promise<void>>

/** A lane that has something due, and the bucket of its id. */
export interface LaneName {
  workspaceId: string
  id: string
}

/** What is due by kind of work: these lanes, or whatever the owners of these buckets find there. */
type Due = { kind: string } & ({ lanes: LaneName[] } | { buckets: Iterable<number> })

/**
 * Tells the runners that something is due, after the commit and at most once per process and 20 ms:
 * a NOTIFY inside the writing transactions cut commits from 3,567 to 289/s (measured). A hint that
 * is lost costs a quarter of a second, or one where the commit was late: the poll finds the row.
 *
 * @param due for the owners of these lanes or buckets alone; for every runner, if it is not given
 */
export function hintDue(ctx: ProcessContext, due?: Due) {
  const pending = hinting.get(ctx)
  if (pending) note(pending, due)
  else void keepHinting(ctx, due)
}

/** What the next hints say: what is due by kind of work, or that everybody has to look. */
interface Pending {
  isForAll: boolean
  kinds: Map<string, { buckets: Set<number>; lanes: Map<string, LaneName> }>
}

/** While it runs, what is committed meanwhile waits for the next hint. */
const hinting = new WeakMap<ProcessContext, Pending>()

function note(pending: Pending, due: Due | undefined) {
  if (!due) {
    pending.isForAll = true
    return
  }
  const noted = pending.kinds.get(due.kind) ?? { buckets: new Set(), lanes: new Map() }
  pending.kinds.set(due.kind, noted)
  if ('buckets' in due) for (const bucket of due.buckets) noted.buckets.add(bucket)
  else
    for (const lane of due.lanes) {
      if (noted.lanes.size < lanesMax) noted.lanes.set(lane.id, lane)
      else noted.buckets.add(bucketOf(lane.id))
    }
}

async function keepHinting(ctx: ProcessContext, due: Due | undefined) {
  const pending: Pending = { isForAll: false, kinds: new Map() }
  note(pending, due)
  hinting.set(ctx, pending)
  try {
    for (let hints = takeHints(pending); hints.length > 0; hints = takeHints(pending)) {
      for (const hint of hints) await sql`select pg_notify(${hintChannel}, ${hint})`.execute(ctx.db)
      await ctx.sleep(hintEveryMs)
    }
  } catch (error) {
    ctx.log.debug(describeError(error), 'a hint was not sent')
  } finally {
    hinting.delete(ctx)
  }
}

/** The empty hint is for everybody. */
function takeHints(pending: Pending): string[] {
  const hints = [...pending.kinds].flatMap(([kind, { buckets, lanes }]) => {
    const names = [...lanes.values()]
    const parts = [writeHint(kind, buckets, names.splice(0, lanesOfHintMax))]
    while (names.length > 0) parts.push(writeHint(kind, [], names.splice(0, lanesOfHintMax)))
    return parts
  })
  const all = pending.isForAll ? [''] : hints
  pending.isForAll = false
  pending.kinds.clear()
  return all
}

/** Kind, buckets as 64 hexadecimal digits with the lowest bit first, and lanes as two UUIDs each. */
function writeHint(kind: string, buckets: Iterable<number>, lanes: LaneName[]): string {
  const bits = Buffer.alloc(bucketCount / 8)
  for (const bucket of buckets) bits[bucket >> 3] = (bits[bucket >> 3] ?? 0) | (1 << (bucket & 7))
  const hex = lanes.map(({ workspaceId, id }) => workspaceId + id).join('')
  const names = Buffer.from(hex.replaceAll('-', ''), 'hex').toString('base64url')
  return `${kind}:${bits.toString('hex')}:${names}`
}

/** What a hint says to who owns some buckets. */
export interface Hint {
  /** Something is due that it does not name. */
  isToLook: boolean
  /** Lanes of the buckets that were asked about. */
  lanes: LaneName[]
}

/** @returns undefined when it has nothing for the owner of these buckets */
export function readHint(text: string, kind: string, buckets: number[]): Hint | undefined {
  if (text === '') return { isToLook: true, lanes: [] }
  const [hinted, bitmap = '', names = ''] = text.split(':')
  if (hinted !== kind) return undefined
  const bits = Buffer.from(bitmap, 'hex')
  const isOurs = (bucket: number) => ((bits[bucket >> 3] ?? 0) & (1 << (bucket & 7))) !== 0
  const own = new Set(buckets)
  const lanes = readLanes(names).filter(({ id }) => own.has(bucketOf(id)))
  const isToLook = buckets.some(isOurs)
  return isToLook || lanes.length > 0 ? { isToLook, lanes } : undefined
}

function readLanes(names: string): LaneName[] {
  const hex = Buffer.from(names, 'base64url').toString('hex')
  return Array.from({ length: hex.length / 64 }, (_, at) => ({
    workspaceId: uuidOfHex(hex.slice(at * 64, at * 64 + 32)),
    id: uuidOfHex(hex.slice(at * 64 + 32, at * 64 + 64)),
  }))
}
