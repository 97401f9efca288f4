import type { Connection } from '../engine/connection.ts'
import type { Promotion } from '../engine/failover.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { Executed, Observer, World } from '../engine/world.ts'
import { type Committed, readCommitted } from './committed.ts'
import { LedgerCheck } from './ledger-check.ts'
import type { ReceivedMail } from './letters.ts'

/** A lead's step. */
export interface Key {
  leadId: string
  stepId: string
}

/** One of the attempts to send a lead's step. */
interface Attempt extends Key {
  attemptId: string
}

/** A mail was about to be finished, as its sender wrote down. */
export interface Mark extends Attempt {
  campaignId: string
  mailboxId: string
  /** Of the settings that the mail was made by: when the mailbox was changed last. */
  mailboxVersionMs: number
  /** The step that it follows; null: it was planned as the first mail to its lead. */
  afterStepId: string | null
  process: SimulatedProcess
  /** As the sender says, and as it was. */
  saidMs: number
  atMs: number
}

/** A server took it. */
export interface Accepted extends Key {
  messageId: string
  mailbox: string
  markedMs: number
  atMs: number
  /** The database has forgotten the mark: a standby took over that lacks it. */
  isLost: boolean
}

/** An event that was committed. */
export interface Fact {
  atMs: number
  type: string
  campaignId: string
  email: string
  /** Message-ID: of our mail, and of the letter that it tells of. */
  about: string | undefined
  letter: string | undefined
  kind: string | undefined
}

export interface KnownLead {
  id: string
  campaignId: string
  email: string
  createdMs: number
  /** The first of the leads that it was before it was moved. */
  movedFrom: string | null
}

/** Something came back from a person, or from a server. */
export interface Written {
  character: string
  to: string
  returnsOn: string | null
  /** It names a mail of ours; else a Message-ID of the provider's, which we may not know of yet. */
  isCited: boolean
}

export interface Checks {
  marked(mark: Mark): void
  /** By one statement. */
  markedTogether(marks: Mark[]): void
  accepted(accepted: Accepted, mark: Mark | undefined): void
  /** It counted as sent until its sender, who was slow, said that it never left. */
  takenBack(key: Key): void
  /** A folder was read, or a mail got to be known. */
  read(): Promise<void>
}

/** Within so long, what was true before an edit may still be gone by. */
export const graceMs = 10_000

/** Rounds of planning in a row that lead to nothing: connections break, others are faster. */
const roundsMax = 100

/** What really happened, seen from outside: each commit, each mail that was taken, each letter. */
export class Recorder implements Observer {
  readonly states: Committed[] = []
  readonly leads = new Map<string, KnownLead>()
  readonly marks: Mark[] = []
  readonly accepted: Accepted[] = []
  /** Marks that a standby lacked when it took over. */
  readonly lost: Mark[] = []
  /** To whom these mails went, and leads that it lacked: nobody can know what they answer to. */
  readonly forgotten = new Set<string>()
  readonly facts: Fact[] = []
  readonly letters = new Map<string, Written>()
  /** Steps that a person wanted to be sent again, and mails that one said had arrived. */
  readonly repeated: Key[] = []
  readonly confirmed = new Set<string>()
  /** Attempts about which a person has decided. */
  readonly decided = new Set<string>()
  /** Attempts that counted as sent until their sender, who was slow, said that they were refused. */
  readonly takenBack: Attempt[] = []
  /** Mailboxes by id: one goes on, or may by now, with the conversations of the other. */
  readonly handedOver: { from: string; to: string }[] = []
  /** When suppressions of addresses were undone last, or may have been. */
  readonly undone = new Map<string, number>()
  readonly runners = new Map<string, SimulatedProcess>()
  checks: Checks | undefined
  onPromoted: ((promotion: Promotion) => void) | undefined
  /** Grows whenever the database may hold something else than before. */
  changes = 0
  readonly #world: World
  readonly #ledger: LedgerCheck
  readonly #pending = new WeakMap<Connection, Pending>()
  readonly #keys = new Map<string, Key>()
  readonly #rounds = new Map<SimulatedProcess, number>()
  /** By attempt. */
  readonly #uncertain = new Map<string, Key>()

  constructor(world: World) {
    this.#world = world
    this.#ledger = new LedgerCheck(world)
  }

  get startMs(): number {
    return this.#world.environment.conditions.startMs
  }

  get nowMs(): number {
    return this.#world.scheduler.nowMs
  }

  get now(): Committed {
    const last = this.states.at(-1)
    if (!last) throw new Error('Nothing was read yet.')
    return last
  }

  /** What was true at any time within the grace. */
  get recent(): Committed[] {
    const since = this.#world.scheduler.nowMs - graceMs
    const first = this.states.findLastIndex(({ atMs }) => atMs <= since)
    return this.states.slice(Math.max(0, first))
  }

  async begin() {
    this.states.push(await readCommitted(this.#world.admin, this.#world.scheduler.nowMs))
  }

  /** What was committed from now on is forgotten; what was sent and written is not. */
  remember() {
    const [marks, facts] = [this.marks.length, this.facts.length]
    return async () => {
      const lost = this.marks.splice(marks)
      this.lost.push(...lost)
      for (const mail of this.accepted) {
        mail.isLost ||= lost.some((mark) => isSame(mark, mail) && mark.atMs === mail.markedMs)
      }
      await this.#forgetLeads(lost)
      this.facts.splice(facts)
      this.#uncertain.clear()
      await this.#ledger.forget()
      this.changes += 1
      this.states.push(await readCommitted(this.#world.admin, this.#world.scheduler.nowMs))
    }
  }

  async #forgetLeads(lost: Mark[]) {
    const { rows } = await this.#world.admin.query<{ id: string }>('select id from leads')
    const known = new Set(rows.map(({ id }) => id))
    for (const { leadId } of lost) known.delete(leadId)
    for (const { id, email } of this.leads.values()) if (!known.has(id)) this.forgotten.add(email)
  }

  promoted(promotion: Promotion) {
    this.onPromoted?.(promotion)
  }

  async executed(statement: Executed) {
    const { process, connection, text, values } = statement
    if (!isLook(text)) this.changes += 1
    this.#countRounds(process, text)
    if (/insert into runners/.test(text)) this.runners.set(String(values[0]), process)
    const pending = this.#pending.get(connection) ?? { facts: [], marks: [] }
    this.#pending.set(connection, pending)
    if (
      /(insert into|update|delete from) "?(campaigns|mailboxes|workspaces|suppressions)\b/.test(
        text,
      )
    ) {
      pending.changes = true
    }
    if (/insert into leads/.test(text)) pending.leads = true
    if (/(insert into|update) "?(sends|campaign_days|mailbox_days)\b/.test(text)) {
      pending.ledger = true
    }
    if (/insert into (mailbox_folders|message_ids)\b/.test(text)) pending.read = true
    if (/insert into events/.test(text))
      pending.facts.push(...factsOf(values, this.#world.scheduler.nowMs))
    if (/(insert into|update) sends/.test(text) && /message_id = k\.|k\.message_id/.test(text)) {
      this.#learnKeys(values as string[][])
    }
    if (/set state = 'transmitting'/.test(text)) this.#mark(statement, pending)
    if (connection.backend.inTransaction) return
    this.#pending.delete(connection)
    if (text === 'rollback' || statement.result.command === 'ROLLBACK') return
    await this.#committed(pending)
  }

  logged(process: SimulatedProcess, { error, code }: Record<string, unknown>) {
    if (error === undefined || error === 'MailFailure' || isTransient(String(error), code)) return
    if (code === 'not_found' && this.#wasPutBack) return
    this.#world.violate(`${process.label} met a ${error} ${code ?? ''}`)
  }

  /** A standby took over that lacks what somebody may still be at work on. */
  get #wasPutBack(): boolean {
    return this.#promotions.some(({ followedMs, diedMs }) => followedMs < diedMs)
  }

  /** Mails that were taken while a standby followed no further: it has no message of them. */
  get withoutMessage(): Accepted[] {
    return this.accepted.filter(({ atMs }) =>
      this.#promotions.some(({ followedMs, diedMs }) => followedMs < atMs && atMs < diedMs),
    )
  }

  get #promotions(): readonly Promotion[] {
    return this.#world.failovers?.promotions ?? []
  }

  /** A server took a mail: from here on it counts. */
  took({ label }: SimulatedProcess, { messageId, from, to }: ReceivedMail) {
    const key = this.#keys.get(messageId)
    if (!key) {
      this.#world.violate(`${label} sent a mail to ${to} that nobody claimed`)
      return
    }
    const mark = this.#lastMark(key)
    const { nowMs } = this.#world.scheduler
    const accepted: Accepted = {
      ...{ ...key, messageId, mailbox: from },
      ...{ markedMs: mark?.atMs ?? nowMs, atMs: nowMs },
      isLost: mark !== undefined && this.lost.includes(mark),
    }
    this.checks?.accepted(accepted, mark)
    this.accepted.push(accepted)
  }

  #lastMark(key: Key): Mark | undefined {
    const [known, lost] = [this.marks, this.lost].map((marks) =>
      marks.findLast((each) => isSame(each, key)),
    )
    return lost && (!known || lost.atMs > known.atMs) ? lost : known
  }

  keyOf(messageId: string): Key | undefined {
    return this.#keys.get(messageId)
  }

  /** Whether this mailbox goes on with conversations of that one, be it by way of others. */
  goesOnWith(mailboxId: string, from: string, passed: string[] = []): boolean {
    if (mailboxId === from) return true
    const next = this.handedOver.filter((each) => each.from === from).map(({ to }) => to)
    const before = [...passed, from]
    return next.some((to) => !before.includes(to) && this.goesOnWith(mailboxId, to, before))
  }

  /** The campaigns that the person of this lead was moved through, with that of the lead. */
  campaignsOf({ id, campaignId, movedFrom }: KnownLead): Set<string> {
    const root = movedFrom ?? id
    const chain = [...this.leads.values()].filter(
      (each) => each.id === root || each.movedFrom === root,
    )
    return new Set([campaignId, ...chain.map((each) => each.campaignId)])
  }

  /** Whoever was moved is written to as another lead. */
  isMovedAway(leadId: string): boolean {
    const lead = this.leads.get(leadId)
    if (!lead) return false
    const root = lead.movedFrom ?? lead.id
    const all = [...this.leads.values()].filter(({ movedFrom }) => movedFrom === root)
    return all.some(({ createdMs }) => createdMs > lead.createdMs)
  }

  async #committed({ changes, leads, ledger, read, facts, marks }: Pending) {
    const { admin, scheduler } = this.#world
    this.facts.push(...facts)
    this.marks.push(...marks)
    for (const _mark of marks) this.#world.failovers?.notable()
    if (changes) this.states.push(await readCommitted(admin, scheduler.nowMs))
    if (leads) await this.#readLeads()
    if (ledger) {
      await this.#ledger.check(this.recent)
      await this.#lookAtUncertain()
    }
    if (read) await this.checks?.read()
  }

  async #lookAtUncertain() {
    const { rows } = await this.#world.admin.query<Key & { id: string; state: string }>({
      name: 'read_uncertain',
      text: `select id, lead_id as "leadId", step_id as "stepId", state from sends
             where state = 'uncertain' or id = any($1::uuid[])`,
      values: [[...this.#uncertain.keys()]],
    })
    const states = new Map(rows.map(({ id, state }) => [id, state]))
    for (const [id, key] of this.#uncertain) {
      const state = states.get(id)
      if (state === 'uncertain') continue
      this.#uncertain.delete(id)
      if (state !== 'sent' && !this.decided.has(id)) this.#takeBack({ ...key, attemptId: id })
    }
    for (const { id, state, leadId, stepId } of rows) {
      if (state === 'uncertain') this.#uncertain.set(id, { leadId, stepId })
    }
  }

  #takeBack(key: Attempt) {
    this.takenBack.push(key)
    this.checks?.takenBack(key)
    const isKey = (each: Key) => isSame(each, key)
    if (!this.accepted.some(isKey) || this.repeated.some(isKey)) return
    this.#world.violate(`step ${key.stepId} is said to be refused, and a server had taken it`)
  }

  /** A mailbox is planned to send, or to sleep; who does neither plans without end. */
  #countRounds(process: SimulatedProcess, text: string) {
    if (/set state = |set wake_at = k\./.test(text)) this.#rounds.delete(process)
    if (!/l\.failures, l\.not_before/.test(text)) return
    const rounds = (this.#rounds.get(process) ?? 0) + 1
    this.#rounds.set(process, rounds)
    if (rounds === roundsMax) this.#world.violate(`${process.label} plans without end`)
  }

  #learnKeys(values: string[][]) {
    const [, leadIds = [], stepIds = []] = values
    const messageIds = values[9] ?? []
    for (const [at, leadId] of leadIds.entries()) {
      this.#keys.set(messageIds[at] ?? '', { leadId, stepId: stepIds[at] ?? '' })
    }
  }

  #mark({ process, values, result }: Executed, pending: Pending) {
    const [, leadIds, stepIds, ids, campaignIds, mailboxIds] = values as string[][]
    const said = values.find((value) => value instanceof Date) as Date
    const versions = values.at(-1) as Date[]
    const stepsBefore = values[10] as (string | null)[]
    const together: Mark[] = []
    for (const { id } of result.rows) {
      const at = ids?.indexOf(String(id)) ?? -1
      const mark: Mark = {
        ...{ leadId: leadIds?.[at] ?? '', stepId: stepIds?.[at] ?? '', attemptId: String(id) },
        ...{ campaignId: campaignIds?.[at] ?? '', mailboxId: mailboxIds?.[at] ?? '', process },
        mailboxVersionMs: versions[at]?.getTime() ?? Number.NaN,
        afterStepId: stepsBefore[at] ?? null,
        saidMs: said.getTime() - this.startMs,
        atMs: this.#world.scheduler.nowMs,
      }
      this.checks?.marked(mark)
      together.push(mark)
    }
    this.checks?.markedTogether(together)
    pending.marks.push(...together)
  }

  async #readLeads() {
    const { rows } = await this.#world.admin.query<KnownLead & { created: Date }>(
      `select id, campaign_id as "campaignId", email_folded as email, timestamp_created as created,
         moved_from as "movedFrom"
       from leads order by id`,
    )
    for (const { id, campaignId, email, created, movedFrom } of rows) {
      const createdMs = created.getTime() - this.startMs
      this.leads.set(id, { id, campaignId, email, createdMs, movedFrom })
    }
  }
}

/** Of a transaction, until it is committed. */
interface Pending {
  changes?: boolean
  leads?: boolean
  ledger?: boolean
  read?: boolean
  facts: Fact[]
  marks: Mark[]
}

function factsOf(values: readonly unknown[], atMs: number): Fact[] {
  const [, ids, types, campaignIds, emails, bodies] = values as string[][]
  return (ids ?? []).map((_id, at) => {
    const { data } = JSON.parse(bodies?.[at] ?? '{}') as {
      data: {
        message?: { message_id: string }
        reply?: { message_id: string }
        bounce?: { kind: string }
      }
    }
    return {
      atMs,
      ...{
        type: types?.[at] ?? '',
        campaignId: campaignIds?.[at] ?? '',
        email: emails?.[at] ?? '',
      },
      ...{
        about: data.message?.message_id,
        letter: data.reply?.message_id,
        kind: data.bounce?.kind,
      },
    }
  })
}

const isLook = (text: string) => /^\s*(\/\*.*?\*\/\s*)?(select|begin)\b/.test(text)

export const isSame = (one: Key, other: Key) =>
  one.leadId === other.leadId && one.stepId === other.stepId

/** A lost connection, or a deadlock: whoever meets one tries again. */
export const isTransient = (error: string, code: unknown) =>
  error === 'ConnectionLost' || code === '40P01'
