import type { InboxRunner } from '../../../src/features/inbox/index.ts'
import type { SendingRunner } from '../../../src/features/sending/index.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { IdlePeriod, Wait } from '../engine/scheduler.ts'
import type { World } from '../engine/world.ts'
import { rememberedMs } from './after-failover.ts'
import { type Facts, factColumns, findForgotten, findWaiting } from './forgotten.ts'
import type { Account, MailProviders } from './mail-providers.ts'
import type { Recorder } from './recorder.ts'

/** What a runner's process runs. */
export interface Running {
  sending: SendingRunner
  inboxes: InboxRunner
  /** By the clock of leases: readings of mailboxes from before do not count. */
  startedAt: Date
}

interface Outlook extends Facts {
  /** When something is to be done by itself. */
  next_at: Date | null
  /** Of mailboxes: how many are to be looked at by now, the last one of these, and the next one. */
  woken: number
  woken_at: Date | null
  wakes_at: Date | null
  /** A failover is asked about, or sending held. */
  waits: boolean
  /** Campaigns whose mailboxes are to be woken. */
  marked: number
  /** By the clock of leases: until then everything has an owner who lives. */
  owned_until: Date
  /** Message-IDs of what came in and is kept. */
  kept: string[]
}

const outlook = `
  select
    (select min(at) from (
      select min(wake_at) as at from mailbox_lanes
      union all select min(look_at) from sends where is_uncertain
      union all select min(leads_follow_due) from campaigns) as times) as next_at,
    (select count(*)::int from woken_campaigns) as marked,
    exists (select from instance where sending_held_since is not null
      or sending_identity <> outrider_database_identity()) as waits,
    (select count(*)::int from mailbox_lanes where wake_at <= $2) as woken,
    (select max(wake_at) from mailbox_lanes where wake_at <= $2) as woken_at,
    (select min(wake_at) from mailbox_lanes where wake_at > $2) as wakes_at,
    (select min(case when runner_id = any($1::uuid[]) then leased_until else 'epoch' end)
      from bucket_leases where kind = 'mailboxes') as owned_until,
    (select coalesce(json_agg(message_id), '[]') from messages where direction = 'in') as kept,
    ${factColumns}`

/**
 * Lets time pass in which nothing is to be done: all that is due was done, and everybody sleeps. Just
 * before, it looks whether that is so: nothing that could be sent is left without somebody who will.
 * While somebody is waited for, only those who would find nothing are left out.
 */
export class IdleTime {
  readonly running = new Map<SimulatedProcess, Running>()
  /** When it was looked last, there was nothing to do and nothing to read. */
  isIdle = false
  #seen: { outlook: Outlook; changes: number; live: string } | undefined
  readonly #world: World
  readonly #recorder: Recorder
  readonly #providers: MailProviders

  constructor(world: World, recorder: Recorder, providers: MailProviders) {
    this.#world = world
    this.#recorder = recorder
    this.#providers = providers
  }

  quiet = async (untilMs: number): Promise<IdlePeriod | undefined> => {
    const { scheduler } = this.#world
    this.isIdle = false
    if (this.#world.failovers?.isUnderWay || this.#isDeathRecent) return undefined
    const seen = await this.#look()
    if (seen.marked > 0 || seen.waits) return undefined
    const nextMs = this.#msOf(seen.next_at)
    if (nextMs <= scheduler.nowMs || this.#isBusy(seen)) return this.#withoutPolls(seen, untilMs)
    const unread = this.#unreadOf(seen)
    this.isIdle = unread.length === 0
    const nowMs = this.#recorder.startMs + scheduler.nowMs
    const waiting = findWaiting(seen, this.#recorder.now, nowMs + aheadMs, this.#readSince())
    if (waiting.length > 0 || unread.some((account) => this.#providers.isReachable(account))) {
      // Somebody looks into every folder now and then; until then hearts beat.
      const nextLookMs = scheduler.nextMs('listening', 'beating', 'retrying')
      const lookMs = Math.min(untilMs, nextMs, nextLookMs) - marginMs
      return { untilMs: lookMs, shifts: ['polling', 'routine'], skips: false }
    }
    this.#findForgotten(seen)
    const shifts: Wait[] = ['polling', 'routine', 'beating', 'listening']
    // Somebody who lost his connection comes back for it.
    const tryMs = unread.length > 0 ? scheduler.nextMs('retrying') : Number.POSITIVE_INFINITY
    if (unread.length === 0) shifts.push('retrying')
    const wakeMs = Math.min(untilMs, nextMs, tryMs) - marginMs
    return { untilMs: wakeMs, shifts, skips: true }
  }

  /** A failover asks for a runner that has died until the others have looked often enough since. */
  get #isDeathRecent(): boolean {
    const { environment, failovers, runnerEndedMs, scheduler } = this.#world
    const left = environment.conditions.failovers.length - (failovers?.promotions.length ?? 0)
    if (left === 0 || environment.isClear) return false
    return scheduler.nowMs < runnerEndedMs + rememberedMs
  }

  /** Nothing changes what it sees but a statement that writes, and the end of a process. */
  async #look(): Promise<Outlook> {
    const { changes } = this.#recorder
    const runners = this.#liveRunners()
    const live = runners.join()
    if (this.#seen?.changes === changes && this.#seen.live === live) return this.#seen.outlook
    const { rows } = await this.#world.admin.query<Outlook>({
      name: 'outlook',
      text: outlook,
      values: [runners, this.#world.time()],
    })
    const [seen] = rows
    if (!seen) throw new Error('There is no outlook.')
    this.#seen = { outlook: seen, changes, live }
    return seen
  }

  #isBusy({ owned_until }: Outlook): boolean {
    const { scheduler, processes } = this.#world
    const runners = [...processes].filter(({ role }) => role === 'runner')
    const isAtWork = ({ stalledUntilMs, pool }: SimulatedProcess) =>
      stalledUntilMs > scheduler.nowMs || pool.connections.size > 0
    if (runners.some(isAtWork)) return true
    const running = runners.flatMap((process) => this.running.get(process) ?? [])
    return (
      running.length === 0 ||
      running.some(({ sending }) => sending.lanesAwake() > 0) ||
      owned_until <= this.#world.leaseTime() ||
      !this.#areFollowed(running)
    )
  }

  /**
   * A poll finds what was woken since the last one, unless it is awake; what is older is for others
   * to find.
   */
  #withoutPolls({ woken, woken_at, wakes_at }: Outlook, untilMs: number): IdlePeriod | undefined {
    const { scheduler, processes } = this.#world
    const polledForMs = scheduler.nowMs - polledMs
    const awake = [...processes].reduce(
      (sum, process) => sum + (this.running.get(process)?.sending.lanesAwake() ?? 0),
      0,
    )
    const isFound = awake >= woken
    if (!isFound && woken_at && this.#msOf(woken_at) > polledForMs) return undefined
    const wakesMs = this.#msOf(wakes_at)
    if (wakesMs > polledForMs && wakesMs <= scheduler.nowMs) return undefined
    const others = scheduler.nextMs('routine', 'beating', 'listening', 'retrying')
    const wakeMs = wakesMs > scheduler.nowMs ? wakesMs : Number.POSITIVE_INFINITY
    return { untilMs: Math.min(untilMs, wakeMs, others) - 1, shifts: ['polling'], skips: false }
  }

  #msOf(at: Date | null): number {
    return (at?.getTime() ?? Number.POSITIVE_INFINITY) - this.#recorder.startMs
  }

  #areFollowed(running: Running[]): boolean {
    const readers = running.reduce((sum, { inboxes }) => sum + inboxes.mailboxesRead(), 0)
    return readers >= this.#followed().length
  }

  #followed() {
    const mailboxes = [...this.#recorder.now.mailboxes.values()]
    return mailboxes.filter(({ status }) => status !== 'paused')
  }

  /** Where a letter is in a folder that nobody has read. Of a lead that a standby lacks none is kept. */
  #unreadOf({ kept }: Outlook): Account[] {
    const { letters, forgotten } = this.#recorder
    const isUnread = ({ messageId }: { messageId: string }) => {
      const letter = letters.get(messageId)
      return letter && !forgotten.has(letter.to) && !kept.includes(messageId)
    }
    return this.#followed()
      .map(({ address }) => this.#providers.account(address))
      .filter(({ folders }) => folders.some(({ mails }) => mails.some(isUnread)))
  }

  /** Whoever sends takes a reading for one that is as young as this. */
  #readSince(): Date {
    const { processes } = this.#world
    const starts = [...processes].map((process) => this.running.get(process)?.startedAt.getTime())
    const oldest = this.#world.leaseTime().getTime() - readingMs
    return new Date(Math.max(oldest, ...starts.map((start) => start ?? 0)))
  }

  #liveRunners(): string[] {
    return [...this.#recorder.runners].flatMap(([id, process]) => (process.alive ? id : []))
  }

  #findForgotten(facts: Facts) {
    const nowMs = this.#recorder.startMs + this.#world.scheduler.nowMs
    const { now } = this.#recorder
    for (const forgotten of findForgotten(facts, now, nowMs, this.#readSince())) {
      this.#world.violate(forgotten)
    }
  }
}

/** A reading of a mailbox counts for so long. */
const readingMs = 15 * 60_000
/** What a process says is due now may lie so far ahead, by a clock that is. */
const aheadMs = 1_000
/** A poll looks back so far, and a process's clock may be off. */
const polledMs = 3_000
/** The loops look often enough to come upon what is due then. */
const marginMs = 20
