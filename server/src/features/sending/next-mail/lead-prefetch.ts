import type { Db } from '../../../kernel/db/db.ts'
import { firstIdAt } from '../../../kernel/ids.ts'
import { SizedCache } from '../../../kernel/sized-cache.ts'
import { type Candidate, findPending } from './backlog-queries.ts'

interface Pool {
  /** Due and free, by id, first due first. */
  leads: Map<string, Candidate>
  /** What was read ends here. */
  due: Date
  id: string
  /** Nothing more was due behind it. */
  isEnd: boolean
}

export interface Wanted {
  workspace_id: string
  campaign_id: string
  leads: number
}

const start = { due: new Date(0), id: firstIdAt(new Date(0)), isEnd: false }
const readMin = 8
const readMax = 500
/** Of all campaigns together. */
const bytesMax = 32 * 1024 * 1024
const poolBytes = 300
const leadBytes = 700

/**
 * The leads that wait for their first mail, shared by the lanes of a campaign: each lead is offered
 * to one of them, and a page of them is read once for all. Busy ones are being written to by this
 * process; what other processes do the claim tells.
 */
export class LeadPrefetch {
  readonly #pools = new SizedCache<Pool>(bytesMax)
  /** Lead to campaign. */
  readonly #busy = new Map<string, string>()
  readonly #busyIn = new Map<string, number>()

  isBusy = (leadId: string) => this.#busy.has(leadId)

  /**
   * Reads until each campaign has what is wanted, or was read to its end. Leads may become due behind
   * the cursor, so a campaign that has too few is read once more from its start.
   */
  async fill(db: Db, wanted: Wanted[], now: Date) {
    const isLacking = ({ campaign_id, leads }: Wanted) =>
      (this.#pools.get(campaign_id)?.leads.size ?? 0) < leads
    let lacking = wanted.filter(isLacking)
    // What has become due since may lie before the end.
    for (const { campaign_id } of lacking) {
      if (this.#pools.get(campaign_id)?.isEnd) this.#pools.delete(campaign_id)
    }
    const fromStart = new Set(lacking.filter(({ campaign_id }) => !this.#pools.get(campaign_id)))
    while (lacking.length > 0) {
      const hasMore = await this.#read(db, lacking, now)
      const ended = new Set(lacking.filter((each) => !hasMore.has(each) && fromStart.has(each)))
      for (const each of lacking.filter((each) => !hasMore.has(each) && !ended.has(each))) {
        this.#pools.delete(each.campaign_id)
        fromStart.add(each)
      }
      lacking = lacking.filter((each) => !ended.has(each) && isLacking(each))
    }
  }

  /** The first so many that are free. */
  offer(campaignId: string, most: number): Candidate[] {
    return [...(this.#pools.get(campaignId)?.leads.values().take(most) ?? [])]
  }

  take(leads: Pick<Candidate, 'id' | 'campaign_id'>[]) {
    for (const { id, campaign_id } of leads) {
      this.#busy.set(id, campaign_id)
      this.#busyIn.set(campaign_id, (this.#busyIn.get(campaign_id) ?? 0) + 1)
      this.#pools.get(campaign_id)?.leads.delete(id)
    }
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
  async #read(db: Db, wanted: Wanted[], now: Date): Promise<Set<Wanted>> {
    const sources = wanted.map(({ workspace_id, campaign_id, leads }) => {
      const prefetch = this.#pools.get(campaign_id)
      const { due, id } = prefetch ?? start
      const most = Math.min(readMax, Math.max(readMin, 4 * leads))
      // At the beginning are those that are busy.
      const limit = prefetch ? most : most + (this.#busyIn.get(campaign_id) ?? 0)
      return { workspace_id, campaign_id, after_due: due, after_id: id, limit }
    })
    const rows = await findPending(db, sources, now)
    const byPosition = Map.groupBy(rows, (row) => row.position)
    const pages = sources.map((_, index) => byPosition.get(index + 1) ?? [])
    const isFull = (at: number) => (pages[at]?.length ?? 0) === sources[at]?.limit
    for (const [at, page] of pages.entries()) {
      this.#add(wanted[at]?.campaign_id ?? '', page, !isFull(at))
    }
    return new Set(wanted.filter((_, at) => isFull(at)))
  }

  #add(campaignId: string, rows: Candidate[], isEnd: boolean) {
    const prefetch = this.#pools.get(campaignId) ?? {
      leads: new Map<string, Candidate>(),
      ...start,
    }
    const last = rows.at(-1)
    for (const row of rows) {
      if (!row.is_open && !this.isBusy(row.id)) prefetch.leads.set(row.id, row)
    }
    const read = {
      leads: prefetch.leads,
      due: last?.timestamp_next_send ?? prefetch.due,
      id: last?.id ?? prefetch.id,
      isEnd,
    }
    this.#pools.set(campaignId, read, poolBytes + leadBytes * read.leads.size)
  }
}
