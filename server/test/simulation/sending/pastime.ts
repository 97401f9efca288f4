import type { InboxRunner } from '../../../src/features/inbox/index.ts'
import type { SendingRunner } from '../../../src/features/sending/index.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { Lull } from '../engine/scheduler.ts'
import type { World } from '../engine/world.ts'
import type { Chronicle } from './chronicle.ts'
import { findForgotten } from './forgotten.ts'
import type { Account, PostOffice } from './post-office.ts'

/** What a runner's process runs. */
export interface Running {
  sending: SendingRunner
  inboxes: InboxRunner
}

interface Outlook {
  /** When something is to be done by itself. */
  next_at: Date | null
  unowned: number
  /** Message-IDs of what came in and is kept. */
  kept: string[]
}

const outlook = `
  select
    (select min(at) from (
      select min(wake_at) as at from mailbox_lanes
      union all select min(look_at) from sends where is_uncertain
      union all select min(leads_follow_due) from campaigns) as times) as next_at,
    (select count(*)::int from bucket_leases
      where kind in ('mailboxes', 'inboxes')
        and (runner_id is null or leased_until <= $1 or not runner_id = any($2::uuid[]))) as unowned,
    (select coalesce(json_agg(message_id), '[]') from messages where direction = 'in') as kept`

/**
 * Lets time pass in which nothing is to be done: all that is due was done, and everybody sleeps. Just
 * before, it looks whether that is so: nothing that could be sent is left without somebody who will.
 */
export class Pastime {
  readonly running = new Map<SimulatedProcess, Running>()
  /** When it was looked last, there was nothing to do and nothing to read. */
  isIdle = false
  readonly #world: World
  readonly #chronicle: Chronicle
  readonly #office: PostOffice

  constructor(world: World, chronicle: Chronicle, office: PostOffice) {
    this.#world = world
    this.#chronicle = chronicle
    this.#office = office
  }

  quiet = async (untilMs: number): Promise<Lull | undefined> => {
    const { admin, scheduler, processes } = this.#world
    this.isIdle = false
    const runners = [...processes].filter(({ role }) => role === 'runner')
    if (runners.some((process) => process.stalledUntilMs > scheduler.nowMs)) return undefined
    const running = runners.flatMap((process) => this.running.get(process) ?? [])
    if (running.length === 0 || running.some(({ sending }) => sending.lanesAwake() > 0)) {
      return undefined
    }
    const { rows } = await admin.query<Outlook>({
      name: 'outlook',
      text: outlook,
      values: [this.#world.leaseTime(), this.#liveRunners()],
    })
    const [seen] = rows
    if (!seen || seen.unowned > 0) return undefined
    const nextMs = (seen.next_at?.getTime() ?? Number.POSITIVE_INFINITY) - this.#chronicle.startMs
    if (nextMs <= scheduler.nowMs) return undefined
    if (!this.#areFollowed(running)) return undefined
    const unread = this.#unreadOf(seen)
    this.isIdle = unread.length === 0
    if (unread.some((account) => this.#office.isReachable(account))) {
      // Somebody looks into every folder now and then; until then hearts beat.
      const nextLookMs = scheduler.nextMs('listening', 'beating')
      const lookMs = Math.min(untilMs, nextMs, nextLookMs) - marginMs
      return { untilMs: lookMs, shifts: ['routine'], skips: false }
    }
    await this.#findForgotten()
    const wakeMs = Math.min(untilMs, nextMs) - marginMs
    return { untilMs: wakeMs, shifts: ['routine', 'beating', 'listening'], skips: true }
  }

  #areFollowed(running: Running[]): boolean {
    const readers = running.reduce((sum, { inboxes }) => sum + inboxes.mailboxesRead(), 0)
    return readers >= this.#followed().length
  }

  #followed() {
    const mailboxes = [...this.#chronicle.now.mailboxes.values()]
    return mailboxes.filter(({ status }) => status !== 'paused')
  }

  /** Where a letter is in a folder that nobody has read. */
  #unreadOf({ kept }: Outlook): Account[] {
    const { letters } = this.#chronicle
    const isUnread = ({ messageId }: { messageId: string }) =>
      letters.has(messageId) && !kept.includes(messageId)
    return this.#followed()
      .map(({ address }) => this.#office.account(address))
      .filter(({ folders }) => folders.some(({ mails }) => mails.some(isUnread)))
  }

  #liveRunners(): string[] {
    return [...this.#chronicle.runners].flatMap(([id, process]) => (process.alive ? id : []))
  }

  async #findForgotten() {
    const { admin, scheduler } = this.#world
    const nowMs = this.#chronicle.startMs + scheduler.nowMs
    for (const forgotten of await findForgotten(admin, this.#chronicle.now, nowMs)) {
      this.#world.violate(forgotten)
    }
  }
}

/** The loops look often enough to come upon what is due then. */
const marginMs = 20
