import { MailFailure, type MailServer } from '../../../src/kernel/mail/index.ts'
import type { Random } from '../../random.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { World } from '../engine/world.ts'
import type { SendingConditions } from './conditions.ts'
import type { Account, MailProviders } from './mail-providers.ts'

type Stage = MailFailure['stage']

/** What connections of both kinds stand on. */
export interface MailWorld {
  world: World
  conditions: SendingConditions
  random: Random
  providers: MailProviders
  /** Whoever stands still in the middle of a mail, by its recipient: lets it go on. */
  stuck: Map<string, () => void>
}

/** A line from a process to a mail server: what is said on it and what is answered are gates. */
export class MailConnection {
  isOpen = true
  readonly room: MailWorld
  readonly process: SimulatedProcess
  readonly account: Account

  constructor(room: MailWorld, process: SimulatedProcess, account: Account) {
    this.room = room
    this.process = process
    this.account = account
  }

  /** @throws MailFailure */
  static async open(
    room: MailWorld,
    process: SimulatedProcess,
    { username }: MailServer,
  ): Promise<MailConnection> {
    const line = new MailConnection(room, process, room.providers.account(username))
    await line.ask('login', 'login', () => {
      const trouble = room.providers.troubleOf(line.account)
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
    const { world, conditions, random } = this.room
    const { scheduler, environment } = world
    const breaks = !environment.isClear && random.chance(conditions.mailResetChance)
    return new Promise((resolve, reject) => {
      const answer = (say: () => void) => {
        world.afterStatement?.(this.process)
        scheduler.after(environment.latencyMs(), this.process, say)
      }
      const fail = (failure: unknown) => {
        const told =
          failure instanceof MailFailure ? `${failure.kind} ${failure.code ?? ''}` : 'failed'
        this.note(what, told)
        answer(() => reject(failure))
      }
      world.afterStatement?.(this.process)
      scheduler.after(environment.latencyMs(), null, () => {
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
