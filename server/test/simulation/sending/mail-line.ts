import { MailFailure, type MailServer } from '../../../src/kernel/mail/index.ts'
import type { Random } from '../../random.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { World } from '../engine/world.ts'
import type { Account, PostOffice } from './post-office.ts'
import type { SendingForecast } from './weather.ts'

type Stage = MailFailure['stage']

/** What connections of both kinds stand on. */
export interface MailRoom {
  world: World
  forecast: SendingForecast
  random: Random
  office: PostOffice
  /** Whoever stands still in the middle of a mail, by its recipient: lets it go on. */
  stuck: Map<string, () => void>
}

/** A line from a process to a mail server: what is said on it and what is answered are gates. */
export class MailLine {
  isOpen = true
  readonly room: MailRoom
  readonly process: SimulatedProcess
  readonly account: Account

  constructor(room: MailRoom, process: SimulatedProcess, account: Account) {
    this.room = room
    this.process = process
    this.account = account
  }

  /** @throws MailFailure */
  static async open(
    room: MailRoom,
    process: SimulatedProcess,
    { username }: MailServer,
  ): Promise<MailLine> {
    const line = new MailLine(room, process, room.office.account(username))
    await line.ask('login', 'login', () => {
      const trouble = room.office.troubleOf(line.account)
      if (trouble === 'down') throw new MailFailure('connect', 'unreachable')
      if (trouble === 'login') {
        throw new MailFailure('login', 'refused', { code: 535, enhanced: '5.7.8' })
      }
    })
    return line
  }

  /**
   * One exchange. When the process dies under way, what it said arrives or does not.
   *
   * @param serve what the server does when it has heard it
   * @throws MailFailure
   */
  ask<T>(stage: Stage, what: string, serve: () => T): Promise<T> {
    const { world, forecast, random } = this.room
    const { scheduler, weather } = world
    const breaks = !weather.isClear && random.chance(forecast.mailResetChance)
    return new Promise((resolve, reject) => {
      const answer = (say: () => void) => {
        world.tempt?.(this.process)
        scheduler.after(weather.latencyMs(), this.process, say)
      }
      const fail = (failure: unknown) => {
        const told =
          failure instanceof MailFailure ? `${failure.kind} ${failure.code ?? ''}` : 'failed'
        this.note(what, told)
        answer(() => reject(failure))
      }
      world.tempt?.(this.process)
      scheduler.after(weather.latencyMs(), null, () => {
        if (!this.process.alive && random.chance(0.5)) return
        if (breaks || !this.isOpen) {
          this.isOpen = false
          fail(new MailFailure(stage, 'closed'))
          return
        }
        try {
          const result = serve()
          this.note(what, 'done')
          answer(() => resolve(result))
        } catch (failure) {
          fail(failure)
        }
      })
    })
  }

  note(what: string, became: string) {
    this.room.world.trace.add(this.process.label, `${what} (${this.account.address}) → ${became}`)
  }
}
