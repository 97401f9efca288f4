import type { World } from '../engine/world.ts'
import { type Committed, limitOf } from './committed.ts'

interface CountedDay {
  kind: 'campaign' | 'mailbox'
  id: string
  day: string
  counted: number
  reserved: number
  counted_new: number
  reserved_new: number
}

/** Days' counters beside what the ledger holds of these days. */
const text = `
  with live as (select * from sends where state <> 'failed'),
  counted as (
    select 'campaign' as kind, campaign_id as id, campaign_day as day, count(*)::int as sent,
      (count(*) filter (where is_new))::int as new
    from live group by 2, 3
    union all
    select 'mailbox', mailbox_id, mailbox_day, count(*)::int, 0 from live group by 2, 3
  ),
  reserved as (
    select 'campaign' as kind, campaign_id as id, day, sent, new_leads as new from campaign_days
    union all
    select 'mailbox', mailbox_id, day, sent, 0 from mailbox_days
  )
  select kind, id, day, coalesce(c.sent, 0) as counted, coalesce(r.sent, 0) as reserved,
    coalesce(c.new, 0) as counted_new, coalesce(r.new, 0) as reserved_new
  from counted c full join reserved r using (kind, id, day)
  order by kind, id, day`

/**
 * After each commit: counters say what the ledger does, and nothing was added to a day that is over
 * its limit, by the loosest that held within the grace.
 */
export class LedgerCheck {
  readonly #world: World
  readonly #before = new Map<string, CountedDay>()

  constructor(world: World) {
    this.#world = world
  }

  /** The database is another one, whose ledger was checked when it was written. */
  async forget() {
    this.#before.clear()
    for (const row of await this.#read()) this.#before.set(keyOf(row), row)
  }

  async check(recent: Committed[]) {
    for (const row of await this.#read()) {
      const what = `${row.kind} ${row.id} on ${row.day}`
      if (row.counted !== row.reserved || row.counted_new !== row.reserved_new) {
        this.#world.violate(
          `${what}: ${row.counted} mails (${row.counted_new} new) and ${row.reserved} (${row.reserved_new}) reserved`,
        )
      }
      const key = keyOf(row)
      const before = this.#before.get(key)
      this.#before.set(key, row)
      const { sent, fresh } = limitsOf(row, recent)
      if (row.counted > sent && row.counted > (before?.counted ?? 0)) {
        this.#world.violate(`${what}: ${row.counted} mails, the limit is ${sent}`)
      }
      if (row.counted_new > fresh && row.counted_new > (before?.counted_new ?? 0)) {
        this.#world.violate(`${what}: ${row.counted_new} new leads, the limit is ${fresh}`)
      }
    }
  }

  async #read(): Promise<CountedDay[]> {
    const { rows } = await this.#world.admin.query<CountedDay>({ name: 'count_days', text })
    return rows
  }
}

const keyOf = ({ id, day }: CountedDay) => `${id} ${day}`

function limitsOf({ kind, id, day }: CountedDay, recent: Committed[]) {
  const most = (limits: (number | null | undefined)[]) =>
    Math.max(...limits.map((limit) => limit ?? Number.POSITIVE_INFINITY))
  if (kind === 'mailbox') {
    const mailboxes = recent.map(({ mailboxes }) => mailboxes.get(id))
    return {
      sent: most(mailboxes.map((mailbox) => mailbox && limitOf(mailbox, day))),
      fresh: Number.POSITIVE_INFINITY,
    }
  }
  const campaigns = recent.map(({ campaigns }) => campaigns.get(id))
  return {
    sent: most(campaigns.map((campaign) => campaign?.daily_limit)),
    fresh: most(campaigns.map((campaign) => campaign?.daily_max_leads)),
  }
}
