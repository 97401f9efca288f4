import type { MissingMail } from '../../../src/features/sending/cross-workspace.ts'
import { confirmRestore, previewRestore } from '../../../src/features/sending/index.ts'
import { AppError } from '../../../src/kernel/errors.ts'
import type { Random } from '../../random.ts'
import type { Promotion } from '../engine/failover.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { World } from '../engine/world.ts'
import type { SendingConditions } from './conditions.ts'
import { isTransient, type Mark, type Recorder } from './recorder.ts'

/** Where a standby lacks nothing and everybody lives, sending goes on within so long by itself. */
const boundMs = 10_000
/** By then nobody is waited for any more: sending goes on, or is held. */
const decidedMs = 60_000
/** Who was not seen for so long, between two looks, is nobody to be asked. */
export const rememberedMs = 76_000
const lookEveryMs = 5_000
/** By then whoever hung has come back, and has been asked. */
const looksForMs = 300_000

/** Reasons that name no mail: who goes on takes upon himself whatever the standby lacks. */
const unnamed = ['sender_unasked', 'database_went_back', 'another_database']

interface State {
  held: boolean
  asking: boolean
}

/** A person who is told that sending is held, looks at why, and lets it go on. */
export class AfterFailover {
  readonly #world: World
  readonly #conditions: SendingConditions
  readonly #recorder: Recorder
  readonly #random: Random
  #isLooking = false
  #looksUntilMs = 0
  /** Whose API the person is at. */
  #confirming: SimulatedProcess | undefined
  /** Lost marks whose mails may go out once more. */
  readonly #confirmed = new Set<Mark>()

  constructor(world: World, conditions: SendingConditions, recorder: Recorder) {
    this.#world = world
    this.#conditions = conditions
    this.#recorder = recorder
    this.#random = world.random.fork('after a failover')
  }

  promoted(promotion: Promotion) {
    const { scheduler } = this.#world
    const { followedMs, diedMs } = promotion
    const { promotions } = this.#world.failovers ?? { promotions: [] }
    const isLast = () => promotions.at(-1) === promotion && !this.#world.isDown
    if (followedMs === diedMs) {
      scheduler.after(boundMs, null, async () => {
        const { held, asking } = await this.#read()
        if (!isLast() || !(held || asking) || !this.#wasUndisturbed(promotion)) return
        const what = held ? 'is held' : 'does not go on'
        this.#world.violate(`sending ${what} after a failover to a standby that lacks nothing`)
      })
    }
    scheduler.after(decidedMs, null, async () => {
      const { held, asking } = await this.#read()
      const runners = [...this.#world.processes].filter(({ role }) => role === 'runner')
      // Who hangs may hold the lock that the others wait for.
      const hasHung = runners.some((one) => one.stalledUntilMs > promotion.upMs)
      const isNew = this.#world.runnerEndedMs > promotion.upMs
      const isRough = isNew || hasHung || this.#conditions.resetChance > 0
      if (!isLast() || held || !asking || isRough) return
      this.#world.violate('nobody decides whether sending goes on after a failover')
    })
    this.#looksUntilMs = promotion.upMs + looksForMs
    this.#lookLater()
  }

  /** Nobody died, hung or was stopped whom the new primary has to ask. */
  #wasUndisturbed({ diedMs }: Promotion): boolean {
    const { resetChance, stalls, stuckChance, sleepMs } = this.#conditions
    const isRough = resetChance > 0 || stalls > 0 || stuckChance > 0 || sleepMs > 0
    const isFirst = this.#world.failovers?.promotions.length === 1
    return isFirst && !isRough && this.#world.runnerEndedMs < diedMs - rememberedMs
  }

  #lookLater() {
    if (this.#isLooking) return
    this.#isLooking = true
    this.#world.scheduler.after(lookEveryMs, null, async () => {
      this.#isLooking = false
      const { held, asking } = await this.#read()
      const isOver = this.#world.scheduler.nowMs > this.#looksUntilMs && !this.#world.isDown
      if (!held && !asking && isOver) return
      this.#lookLater()
      const api = [...this.#world.processes].find(({ role }) => role === 'api')
      if (held && api && !this.#confirming?.alive) void this.#confirm(api)
    })
  }

  async #confirm(process: SimulatedProcess) {
    const { ctx } = process
    this.#confirming = process
    try {
      const preview = await previewRestore(ctx)
      if (!preview) return
      const { reason } = preview.hold
      const named = preview.missing.flatMap((mail) => this.#find(mail))
      await ctx.sleep(this.#random.between(500, 15_000))
      const mails = unnamed.includes(reason) ? this.#recorder.lost : named
      const allowed = mails.filter((mark) => !this.#confirmed.has(mark))
      this.#allow(allowed)
      try {
        await confirmRestore(ctx, preview.seen)
      } catch (error) {
        if (error instanceof AppError) this.#disallow(allowed)
        throw error
      }
    } catch (error) {
      const { name, code } = error as { name: string; code?: string }
      if (!(error instanceof AppError) && !isTransient(name, code)) throw error
    } finally {
      this.#confirming = undefined
    }
  }

  /** The mark of a mail that is said to be missing. */
  #find({ lead_id, timestamp_marked }: MissingMail): Mark[] {
    const { lost, startMs } = this.#recorder
    const saidMs = timestamp_marked.getTime() - startMs
    const mark = lost.find((each) => each.leadId === lead_id && each.saidMs === saidMs)
    if (mark) return [mark]
    this.#world.violate(`a mail to lead ${lead_id} is said to be missing, and is not`)
    return []
  }

  #allow(marks: Mark[]) {
    for (const mark of marks) this.#confirmed.add(mark)
    this.#recorder.repeated.push(...marks)
  }

  #disallow(marks: Mark[]) {
    const { repeated } = this.#recorder
    for (const mark of marks) {
      this.#confirmed.delete(mark)
      repeated.splice(repeated.indexOf(mark), 1)
    }
  }

  async #read(): Promise<State> {
    const { rows } = await this.#world.admin.query<State>(
      `select sending_held_since is not null as held,
         sending_identity <> outrider_database_identity() as asking from instance`,
    )
    return rows[0] ?? { held: false, asking: false }
  }
}
