import type { AnyDb } from '../../../kernel/db/db.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import { SizedCache } from '../../../kernel/sized-cache.ts'
import { type DueLead, findPending } from './backlog-queries.ts'

interface Pool {
  /** Due and free, by id, first due first. */
  leads: Map<string, DueLead>
  /** What was read ends here. */
  due: Date
  id: string
  /** Nothing more was due behind it. */
  isEnd: boolean
  /** Some of what was read is free by the ledger and busy here. */
  hidesFree: boolean
}

export interface Wanted {
  workspace_id: string
  campaign_id: string
  leads: number
}

const start = { due: new Date(0), id: firstIdAt(new Date(0)), isEnd: false, hidesFree: false }
const readMin = 8
const readMax = 500
/** Bytes of the leads of all campaigns together. */
const bytesMax = 32 * 1024 * 1024
const poolBytes = 300
const leadBytes = 700

/**
 * The leads that wait for their first mail, shared by the lanes of a campaign: each lead is offered
 * to one of them, and a page of them is read once for all. Busy ones are being written to by this
 * process; what other processes do the claim tells.
 */
export class LeadPrefetch {
  readonly #bytesMax: number
  readonly #pools: SizedCache<Pool>
  /** Lead to campaign. */
  readonly #busy = new Map<string, string>()
  readonly #busyIn = new Map<string, number>()

  constructor(bytes = bytesMax) {
    this.#bytesMax = bytes
    this.#pools = new SizedCache(bytes)
  }

  isBusy = (leadId: string) => this.#busy.has(leadId)

  /** Whether nobody of the campaign was due behind those that are offered. */
  isAtEnd = (campaignId: string) => this.#pools.get(campaignId)?.isEnd === true

  /**
   * Whether a lead that this process still writes to is free by the ledger: its claim is not committed
   * yet, or another process took it back from a mailbox that hangs here. Nobody is woken when it is
   * released.
   */
  hidesFree = (campaignId: string) => this.#pools.get(campaignId)?.hidesFree === true

  /**
   * Reads until each campaign has what is wanted, has its share of the room, or was read to its end.
   * Leads may become due behind the cursor, so a campaign that has too few is read once more from its
   * start.
   */
  async fill(db: AnyDb, wanted: Wanted[], now: Date) {
    // No campaign takes the room of another one here: its leads would be read and offered to nobody.
    const share = Math.floor((this.#bytesMax / wanted.length - poolBytes) / leadBytes)
    const most = Math.max(1, share)
    const isLacking = ({ campaign_id, leads }: Wanted) =>
      (this.#pools.get(campaign_id)?.leads.size ?? 0) < Math.min(leads, most)
    for (const { campaign_id } of wanted) {
      const pool = this.#pools.get(campaign_id)
      if (pool) this.#keep(campaign_id, pool, most)
    }
    let lacking = wanted.filter(isLacking)
    // What has become due since may lie before the end.
    for (const { campaign_id } of lacking) {
      if (this.#pools.get(campaign_id)?.isEnd) this.#pools.delete(campaign_id)
    }
    const fromStart = new Set(lacking.filter(({ campaign_id }) => !this.#pools.get(campaign_id)))
    while (lacking.length > 0) {
      const hasMore = await this.#read(db, lacking, most, now)
      const ended = new Set(lacking.filter((each) => !hasMore.has(each) && fromStart.has(each)))
      for (const each of lacking.filter((each) => !hasMore.has(each) && !ended.has(each))) {
        this.#pools.delete(each.campaign_id)
        fromStart.add(each)
      }
      lacking = lacking.filter((each) => !ended.has(each) && isLacking(each))
    }
  }

  /** The first so many that are free. */
  offer(campaignId: string, most: number): DueLead[] {
    return [...(this.#pools.get(campaignId)?.leads.values().take(most) ?? [])]
  }

  take(leads: Pick<DueLead, 'id' | 'campaign_id'>[]) {
    for (const { id, campaign_id } of leads) {
      this.#busy.set(id, campaign_id)
      this.#busyIn.set(campaign_id, (this.#busyIn.get(campaign_id) ?? 0) + 1)
      this.#pools.get(campaign_id)?.leads.delete(id)
    }
  }

  /** What was read may no longer be who is due first: it is read from its start for the next plan. */
  forget(campaignId: string) {
    this.#pools.delete(campaignId)
  }

  /** The ledger says what became of it; to be offered again it has to be read again. */
  release(leadId: string) {
    const campaignId = this.#busy.get(leadId)
    if (campaignId === undefined) return
    this.#busy.delete(leadId)
    const left = (this.#busyIn.get(campaignId) ?? 1) - 1
    if (left > 0) this.#busyIn.set(campaignId, left)
    else this.#busyIn.delete(campaignId)
  }

  /** @returns those of which there may be more */
  async #read(db: AnyDb, wanted: Wanted[], most: number, now: Date): Promise<Set<Wanted>> {
    const sources = wanted.map(({ workspace_id, campaign_id, leads }) => {
      const pool = this.#pools.get(campaign_id)
      const { due, id } = pool ?? start
      const page = Math.min(readMax, Math.max(readMin, 4 * leads))
      // At the beginning are those that are busy.
      const limit = pool ? page : page + (this.#busyIn.get(campaign_id) ?? 0)
      return { workspace_id, campaign_id, after_due: due, after_id: id, limit }
    })
    const rows = await findPending(db, sources, now)
    const byPosition = Map.groupBy(rows, (row) => row.position)
    const pages = sources.map((_, index) => byPosition.get(index + 1) ?? [])
    const isFull = (at: number) => (pages[at]?.length ?? 0) === sources[at]?.limit
    for (const [at, page] of pages.entries()) {
      const campaignId = wanted[at]?.campaign_id ?? ''
      this.#keep(campaignId, this.#poolWith(campaignId, page, !isFull(at)), most)
    }
    return new Set(wanted.filter((_, at) => isFull(at)))
  }

  #poolWith(campaignId: string, rows: DueLead[], isEnd: boolean): Pool {
    const pool = this.#pools.get(campaignId) ?? { leads: new Map<string, DueLead>(), ...start }
    const last = rows.at(-1)
    const free = rows.filter(({ is_open }) => !is_open)
    for (const row of free) if (!this.isBusy(row.id)) pool.leads.set(row.id, row)
    return {
      leads: pool.leads,
      due: last?.timestamp_next_send ?? pool.due,
      id: last?.id ?? pool.id,
      isEnd,
      hidesFree: pool.hidesFree || free.some(({ id }) => this.isBusy(id)),
    }
  }

  /** The first so many; the others are read again, behind the last that stays. */
  #keep(campaignId: string, pool: Pool, most: number) {
    const stays = pool.leads.size > most ? cut(pool, most) : pool
    this.#pools.set(campaignId, stays, poolBytes + leadBytes * stays.leads.size)
  }
}

function cut({ leads, due, id, hidesFree }: Pool, most: number): Pool {
  const kept = [...leads].slice(0, most)
  const last = kept.at(-1)?.[1] ?? { timestamp_next_send: due, id }
  return {
    leads: new Map(kept),
    due: last.timestamp_next_send,
    id: last.id,
    isEnd: false,
    hidesFree,
  }
}
