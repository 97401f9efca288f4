import { operator } from '../../../src/features/audit/index.ts'
import { createCampaign } from '../../../src/features/campaigns/campaigns.ts'
import type { CampaignChanges } from '../../../src/features/campaigns/schema.ts'
import { updateCampaign } from '../../../src/features/campaigns/update-campaign.ts'
import { addLeads } from '../../../src/features/leads/index.ts'
import {
  addMailbox,
  pauseMailbox,
  resumeMailbox,
  updateMailbox,
} from '../../../src/features/mailboxes/index.ts'
import { confirmArrived, listUncertain, sendAgain } from '../../../src/features/sending/index.ts'
import { addSuppression } from '../../../src/features/suppression/index.ts'
import { unsubscribe } from '../../../src/features/tracking/unsubscribe.ts'
import { setPlan } from '../../../src/features/workspaces/index.ts'
import { AppError } from '../../../src/kernel/errors.ts'
import type { FreeContext } from '../../context.ts'
import type { Random } from '../../random.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { World } from '../engine/world.ts'
import type { CommittedCampaign } from './committed.ts'
import type { SendingConditions } from './conditions.ts'
import type { MailProviders } from './mail-providers.ts'
import { characters, talkers } from './people.ts'
import {
  drawCampaign,
  drawDelay,
  drawLimits,
  drawMailbox,
  drawPace,
  drawSchedule,
  drawVariants,
} from './plans.ts'
import { rearrange } from './rearrange.ts'
import { isSame, isTransient, type Key, type Recorder } from './recorder.ts'
import { workspaceId } from './seed-rows.ts'

/** Who is at it does several things at once: while the first has its effect. */
const rushMs = 6_000

type Action = (ctx: FreeContext) => Promise<unknown>

const companies = ['acme.example', 'globex.example', 'initech.example']

/** What operators do: they set up everything, and then change their minds while it is sent. */
export class Workload {
  readonly #world: World
  readonly #conditions: SendingConditions
  readonly #recorder: Recorder
  readonly #providers: MailProviders
  readonly #random: Random
  #left: number
  #leads = 0
  /** Actions that have begun and not ended, be it that they wait for a connection. */
  #underWay = 0
  #isReady = false
  readonly #wishes: string[] = []

  constructor(
    world: World,
    conditions: SendingConditions,
    recorder: Recorder,
    providers: MailProviders,
  ) {
    this.#world = world
    this.#conditions = conditions
    this.#recorder = recorder
    this.#providers = providers
    this.#random = world.random.fork('workload')
    this.#left = conditions.actions
  }

  get isOver(): boolean {
    return this.#left <= 0
  }

  /** Somebody waits for what he has asked for. */
  get isBusy(): boolean {
    return this.#underWay > 0
  }

  end() {
    this.#left = 0
  }

  /** An operator at this API, until the process dies or nothing is left to do. */
  async use({ ctx }: SimulatedProcess): Promise<void> {
    while (!this.#isReady) await this.#setUp(ctx)
    const { actions, disturbedMs } = this.#conditions
    while (this.#left > 0) {
      const isAtOnce = this.#random.chance(0.3)
      const longestMs = isAtOnce ? rushMs : (2 * disturbedMs) / (actions + 1)
      await ctx.sleep(this.#random.between(0, longestMs))
      if (this.#left-- <= 0) return
      while (this.#isGone) await this.#setUp(ctx)
      await this.#attempt(ctx, this.#chooseAction())
    }
  }

  /** Somebody follows the link in a mail. */
  leave = (address: string) => {
    this.#wishes.push(address)
    void this.#letGo()
  }

  /** Somebody does not want this mail to go out: now, while it is on its way. */
  doubt = (address: string) => {
    const api = [...this.#world.processes].find(({ role }) => role === 'api')
    const lead = [...this.#recorder.leads.values()].find(({ email }) => email === address)
    if (!api || !lead) return
    const actions: Action[] = [
      (ctx) => updateCampaign(ctx, workspaceId, lead.campaignId, { status: 'paused' }),
      (ctx) => addSuppression(ctx, workspaceId, address, operator),
      (ctx) => setPlan(ctx, workspaceId, { api: false }),
    ]
    void this.#attempt(api.ctx, this.#random.pick(actions))
  }

  /** Everything is as it has to be for mails to go out. */
  async mend({ ctx }: SimulatedProcess) {
    await setPlan(ctx, workspaceId, { api: true })
    const { mailboxes, campaigns } = this.#recorder.now
    const present = new Set([...mailboxes.values()].map(({ address }) => address))
    for (const address of this.#addresses) {
      if (!present.has(address)) await this.#addMailbox(ctx, address)
    }
    for (const { id, status } of mailboxes.values()) {
      if (status !== 'connected') await resumeMailbox(ctx, workspaceId, id, operator)
    }
    for (const { id } of campaigns.values()) {
      // One whose leads are all done has nothing to go on with.
      await this.#attempt(ctx, () => updateCampaign(ctx, workspaceId, id, { status: 'active' }))
    }
    await this.#letGo()
  }

  /** A standby has taken over that lacks what was set up. */
  get #isGone(): boolean {
    const { mailboxes, campaigns } = this.#recorder.now
    return mailboxes.size === 0 || campaigns.size === 0
  }

  async #setUp(ctx: FreeContext) {
    const { campaigns, leads } = this.#conditions
    const addresses = this.#addresses
    for (const address of addresses) {
      if (!this.#providers.accounts.has(address)) this.#providers.open(address)
      await this.#insist(ctx, () => this.#addMailbox(ctx, address))
    }
    for (let made = this.#recorder.now.campaigns.size; made < campaigns; made++) {
      const campaign = drawCampaign(this.#random, this.#conditions, addresses)
      await this.#insist(ctx, () => createCampaign(ctx, workspaceId, campaign))
    }
    for (const { id } of [...this.#recorder.now.campaigns.values()]) {
      await this.#insist(ctx, () => updateCampaign(ctx, workspaceId, id, { status: 'active' }))
      await this.#insist(ctx, () => this.#addLeads(ctx, id, leads))
    }
    this.#isReady = this.#recorder.now.campaigns.size >= campaigns
  }

  /** Until it works; that it worked before is as good. */
  async #insist(ctx: FreeContext, act: () => Promise<unknown>) {
    for (;;) {
      try {
        await act()
        return
      } catch (error) {
        if (error instanceof AppError) return
        if (!isExpected(error)) throw error
        await ctx.sleep(100)
      }
    }
  }

  async #attempt(ctx: FreeContext, action: Action) {
    this.#underWay += 1
    try {
      await action(ctx)
    } catch (error) {
      // An operator may ask for what is not possible; a lost connection is a 5xx to him.
      if (!isExpected(error)) throw error
    } finally {
      this.#underWay -= 1
    }
  }

  #chooseAction(): Action {
    const { campaigns, mailboxes } = this.#recorder.now
    const campaign = this.#random.pick([...campaigns.values()])
    const mailbox = this.#random.pick([...mailboxes.values()])
    const change = (changes: CampaignChanges) => (ctx: FreeContext) =>
      updateCampaign(ctx, workspaceId, campaign.id, changes)
    const add = (ctx: FreeContext) => this.#addLeads(ctx, campaign.id, this.#random.whole(1, 2))
    if (this.#random.chance(this.#conditions.addingChance)) return add
    const { rearrangingChance } = this.#conditions
    if (rearrangingChance > 0 && this.#random.chance(rearrangingChance)) return this.#rearrange
    const action = this.#random.next()
    if (action < 0.14) return change({ status: 'paused' })
    if (action < 0.34) return change({ status: 'active' })
    if (action < 0.42)
      return change({ campaign_schedule: drawSchedule(this.#random, this.#conditions) })
    if (action < 0.48) return change(drawLimits(this.#random, this.#conditions))
    if (action < 0.66) return change({ sequences: [{ steps: this.#editSteps(campaign) }] })
    if (action < 0.76) return (ctx) => this.#suppress(ctx)
    if (action < 0.82) return (ctx) => pauseMailbox(ctx, workspaceId, mailbox.id, operator)
    if (action < 0.9) return (ctx) => resumeMailbox(ctx, workspaceId, mailbox.id, operator)
    if (action < 0.93)
      return (ctx) =>
        updateMailbox(
          ctx,
          workspaceId,
          mailbox.id,
          drawPace(this.#random, this.#conditions),
          operator,
        )
    if (action < 0.96) return (ctx) => this.#decide(ctx)
    return (ctx) => setPlan(ctx, workspaceId, { api: this.#random.chance(0.7) })
  }

  #rearrange: Action = (ctx) => {
    const parts = { random: this.#random, recorder: this.#recorder }
    return rearrange(ctx, parts, {
      addMailbox: (address) => this.#addMailbox(ctx, address),
      suppress: () => this.#suppress(ctx),
    })
  }

  #addMailbox(ctx: FreeContext, address: string) {
    const mailbox = drawMailbox(this.#random, this.#conditions, address)
    return addMailbox(ctx, workspaceId, mailbox, operator)
  }

  get #addresses(): string[] {
    const { mailboxes } = this.#conditions
    return Array.from({ length: mailboxes }, (_, index) => `sender${index}@ours.example`)
  }

  /** Another delay, a step more, a step less, or another first step. */
  #editSteps({
    steps,
  }: CommittedCampaign): NonNullable<CampaignChanges['sequences']>[number]['steps'] {
    const kept = (
      steps as unknown as NonNullable<CampaignChanges['sequences']>[number]['steps']
    ).map((step) => ({ ...step }))
    const edit = this.#random.next()
    if (edit < 0.25 && kept.length > 1) return kept.slice(0, -1)
    if (edit < 0.75) {
      const delay = drawDelay(this.#random, this.#conditions)
      const variants = drawVariants(this.#random)
      if (edit < 0.5) return [...kept, { ...delay, variants }]
      // The first mail needs a subject.
      const first = { delay: 0, variants: variants.slice(0, 1) }
      return [first, ...kept.slice(edit < 0.65 ? 1 : 0)]
    }
    const at = this.#random.whole(0, kept.length - 1)
    return kept.map((step, index) =>
      index === at ? { ...step, ...drawDelay(this.#random, this.#conditions) } : step,
    )
  }

  #addLeads(ctx: FreeContext, campaign_id: string, count: number) {
    const leads = Array.from({ length: count }, () => ({
      email: `${this.#random.pick(this.#conditions.talkative ? talkers : characters)}-${this.#leads++}@${this.#random.pick(companies)}`,
      first_name: 'Ann',
    }))
    return addLeads(ctx, workspaceId, {
      ...{ campaign_id, leads },
      ...{ skip_if_in_workspace: false, overwrite: false },
    })
  }

  async #suppress(ctx: FreeContext) {
    const leads = [...this.#recorder.leads.values()]
    if (leads.length === 0) return
    const { email } = this.#random.pick(leads)
    const text = this.#random.chance(0.8) ? email : email.slice(email.indexOf('@') + 1)
    await addSuppression(ctx, workspaceId, text, operator)
  }

  /** A person looks at what nobody knows of. */
  async #decide(ctx: FreeContext) {
    const [first] = await listUncertain(ctx, workspaceId)
    if (!first) return
    const { id, lead_id: leadId, step_id: stepId } = first
    this.#recorder.decided.add(id)
    if (this.#random.chance(0.5)) {
      this.#recorder.confirmed.add(`${leadId} ${stepId}`)
      await confirmArrived(ctx, workspaceId, id, operator)
      return
    }
    const key = { leadId, stepId }
    this.#recorder.repeated.push(key)
    try {
      await sendAgain(ctx, workspaceId, id, operator)
      this.#checkIsLast(key)
    } catch (error) {
      if (error instanceof AppError && error.code === 'invalid_transition') {
        this.#recorder.repeated.splice(this.#recorder.repeated.indexOf(key), 1)
      }
      throw error
    }
  }

  /** A step is not said to be sent again where a later one has left: the sequence does not go back. */
  #checkIsLast(key: Key) {
    const { accepted, marks } = this.#recorder
    const marked = marks.findLast((mark) => isSame(mark, key))
    const isFollowed = accepted.some(
      (mail) =>
        mail.leadId === key.leadId &&
        mail.stepId !== key.stepId &&
        !mail.isLost &&
        marked !== undefined &&
        mail.markedMs > marked.atMs,
    )
    if (isFollowed) {
      this.#world.violate(`step ${key.stepId} is to be sent again, and a later one was taken`)
    }
  }

  /** By whichever API lives; when none does, a moment later. */
  async #letGo() {
    const { processes, scheduler } = this.#world
    const process = [...processes].find(({ role }) => role === 'api')
    const address = this.#wishes.shift()
    if (address === undefined) return
    const lead = [...this.#recorder.leads.values()].find(({ email }) => email === address)
    const token = {
      ...{ kind: 'unsubscribe' as const, workspaceId, leadId: lead?.id ?? '' },
      ...{ stepId: workspaceId, text: address },
    }
    // Somebody whose page did not load tries again.
    scheduler.after(60_000, null, () => {
      const isDone = this.#recorder.now.suppressed.has(address)
      if (!isDone) this.leave(address)
    })
    if (process) await this.#attempt(process.ctx, (ctx) => unsubscribe(ctx, token))
  }
}

function isExpected(error: unknown): boolean {
  const { name, code } = error as { name: string; code?: string }
  return error instanceof AppError || isTransient(name, code)
}
