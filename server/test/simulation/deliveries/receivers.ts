import type { PostOutcome, PostRequest } from '../../../src/kernel/outbound/index.ts'
import type { Random } from '../../random.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { World } from '../engine/world.ts'
import type { DeliveryConditions } from './conditions.ts'
import type { Recorder } from './recorder.ts'

/** An answer before it is under way: `afterMs` counts from the arrival of the request. */
interface Reply {
  afterMs: number
  status?: number
  retryAfter?: string
  failure?: 'connection_refused' | 'connection_reset' | 'dns_error' | 'tls_error'
}

type Persona = (random: Random, nowMs: number) => Reply

/**
 * The receivers of all destinations, one for each `/<workspace>/<number>`: each has a character of
 * its own until they are all healed.
 */
export class Receivers {
  readonly #world: World
  readonly #conditions: DeliveryConditions
  readonly #recorder: Recorder
  readonly #random: Random
  readonly #personas = new Map<string, Persona>()
  #healed = false

  constructor(world: World, conditions: DeliveryConditions, recorder: Recorder) {
    this.#world = world
    this.#conditions = conditions
    this.#recorder = recorder
    this.#random = world.random.fork('receivers')
  }

  heal() {
    this.#healed = true
  }

  post(process: SimulatedProcess, request: PostRequest): Promise<PostOutcome> {
    const { scheduler, environment } = this.#world
    const sent = this.#recorder.sent(process, request)
    return new Promise((resolve) => {
      const answer = (outcome: Outcome) => {
        this.#recorder.answered(sent)
        const durationMs = Math.round(scheduler.nowMs - sent.atMs)
        this.#note(process.label, `${sent.destination} …${sent.eventId.slice(-6)}`, outcome)
        resolve({ ...outcome, durationMs } as PostOutcome)
      }
      const answerAfter = (ms: number, outcome: Outcome) =>
        scheduler.after(ms, process, () => answer(outcome))
      const wayMs = environment.latencyMs()
      scheduler.after(wayMs, null, () => {
        const reply = this.#replyOf(sent.destination)
        const leftMs = request.timeoutMs - wayMs
        if (reply.afterMs >= leftMs) answerAfter(leftMs, timeout)
        else answerAfter(reply.afterMs, toOutcome(reply))
      })
    })
  }

  #replyOf(destination: string): Reply {
    if (this.#healed) return { afterMs: this.#random.between(5, 50), status: 200 }
    let persona = this.#personas.get(destination)
    if (!persona) {
      persona = this.#random.pick(this.#conditions.troubled ? troubledPersonas : personas)
      this.#personas.set(destination, persona)
    }
    return persona(this.#random, this.#world.scheduler.nowMs)
  }

  #note(label: string, to: string, outcome: Outcome) {
    const what = outcome.kind === 'failure' ? outcome.error : String(outcome.status)
    this.#world.trace.add(label, `POST ${to} → ${what}`)
  }
}

type Outcome =
  | { kind: 'response'; status: number; body: string | null; retryAfter: string | null }
  | { kind: 'failure'; error: string; detail?: string }

const timeout: Outcome = { kind: 'failure', error: 'timeout', detail: 'waiting for the response' }

const toOutcome = ({ failure, status = 200, retryAfter }: Reply): Outcome =>
  failure
    ? { kind: 'failure', error: failure }
    : { kind: 'response', status, body: null, retryAfter: retryAfter ?? null }

const quick = (random: Random) => random.between(1, 60)
const well: Persona = (random) => ({ afterMs: quick(random), status: random.pick([200, 201, 204]) })
const broken: Persona = (random) =>
  random.chance(0.5)
    ? { afterMs: quick(random), status: random.pick([500, 502, 404, 400, 302]) }
    : {
        afterMs: quick(random),
        failure: random.pick([
          'connection_refused',
          'connection_reset',
          'dns_error',
          'tls_error',
        ] as const),
      }
const hanging: Persona = () => ({ afterMs: 60_000 })
const slow: Persona = (random) => ({ afterMs: random.between(500, 6_000), status: 200 })
const throttling: Persona = (random) => ({
  afterMs: quick(random),
  status: random.pick([429, 503]),
  retryAfter: random.pick(['1', '3', '8', 'Mon, 05 Jan 2026 00:00:00 GMT', 'soon', '3600']),
})
const gone: Persona = (random) => ({ afterMs: quick(random), status: 410 })

/** One answer in so many is of another kind. */
const mixed =
  (usual: Persona, other: Persona, chance: number): Persona =>
  (random, nowMs) =>
    (random.chance(chance) ? other : usual)(random, nowMs)

/** Well, then not, then well again. */
const outage =
  (fault: Persona): Persona =>
  (random, nowMs) =>
    (nowMs % 9_000 > 4_000 ? fault : well)(random, nowMs)

const personas: Persona[] = [
  well,
  well,
  slow,
  mixed(well, broken, 0.3),
  mixed(well, broken, 0.6),
  mixed(slow, hanging, 0.3),
  mixed(well, throttling, 0.3),
  mixed(well, gone, 0.04),
  outage(broken),
  outage(hanging),
  outage(mixed(throttling, slow, 0.5)),
  broken,
  hanging,
]

const troubledPersonas: Persona[] = [
  mixed(well, broken, 0.6),
  mixed(slow, broken, 0.5),
  mixed(well, throttling, 0.5),
  outage(mixed(broken, hanging, 0.1)),
]
