import { replayEvents } from '../../../src/features/deliveries/index.ts'
import { emit, type NewEvent } from '../../../src/features/events/index.ts'
import { changeWebhook } from '../../../src/features/webhooks/change-webhook.ts'
import { testWebhook } from '../../../src/features/webhooks/test-calls/test-call.ts'
import { createWebhook, deleteWebhook } from '../../../src/features/webhooks/webhooks.ts'
import { setPlan } from '../../../src/features/workspaces/index.ts'
import { transaction } from '../../../src/kernel/db/transaction.ts'
import { AppError } from '../../../src/kernel/errors.ts'
import type { FreeContext } from '../../context.ts'
import type { Random } from '../../random.ts'
import type { SimulatedProcess } from '../engine/process.ts'
import type { World } from '../engine/world.ts'
import type { DeliveryConditions } from './conditions.ts'
import { type Emission, isTransient, type Recorder } from './recorder.ts'
import type { Tenant } from './seed-rows.ts'

const by = { actor: { type: 'operator', id: null } } as const
const types = ['lead.interested', 'lead.replied', 'email.opened'] as const

/** None is one too many, however many a simulated minute has. */
const attempts = { count: async () => ({ tries: 1, secondsLeft: 60 }) }

class ChangeOfMind extends Error {}

/** What users do: events, and destinations that come, change and go while these are delivered. */
export class Workload {
  readonly #conditions: DeliveryConditions
  readonly #recorder: Recorder
  readonly #tenants: Tenant[]
  readonly #random: Random
  #left: number
  #created = 0
  #actions = 0

  constructor(world: World, conditions: DeliveryConditions, recorder: Recorder, tenants: Tenant[]) {
    this.#conditions = conditions
    this.#recorder = recorder
    this.#tenants = tenants
    this.#random = world.random.fork('workload')
    this.#left = conditions.actions
  }

  get isOver(): boolean {
    return this.#left <= 0
  }

  end() {
    this.#left = 0
  }

  /** One user of this API process, until the process dies or nothing is left to do. */
  async use(process: SimulatedProcess): Promise<void> {
    while (this.#left-- > 0) {
      await this.#attempt(process, this.#chooseAction())
      await process.ctx.sleep(this.#random.between(0, 800))
    }
  }

  /** Each workspace begins with some destinations; one of them with many, where the conditions say so. */
  async begin(process: SimulatedProcess) {
    const [first] = this.#tenants
    const { fanOut } = this.#conditions
    for (const tenant of this.#tenants) {
      const count = fanOut && tenant === first ? 41 : this.#random.whole(2, 4)
      for (let made = 0; made < count; made++) {
        const type = made === 0 || count > 4 ? 'all_events' : undefined
        await this.#attempt(process, () => this.#create(process.ctx, tenant, type))
      }
    }
    if (fanOut && first) await this.#attempt(process, () => this.#emit(process, first, 55))
  }

  #chooseAction() {
    const tenant = this.#random.pick(this.#tenants)
    const action = this.#random.next()
    return (process: SimulatedProcess) => {
      const { ctx } = process
      if (action < 0.6) return this.#emit(process, tenant, this.#random.pick([1, 1, 2, 3, 12]))
      if (action < 0.66) return this.#create(ctx, tenant)
      if (action < 0.73) return this.#change(ctx, tenant, { status: 'disabled' })
      if (action < 0.84) return this.#change(ctx, tenant, { status: 'active' })
      if (action < 0.87) return this.#change(ctx, tenant, this.#newSettings(tenant))
      if (action < 0.91) return this.#delete(ctx, tenant)
      if (action < 0.95) return this.#replay(ctx, tenant)
      if (action < 0.98) return this.#test(ctx, tenant)
      return setPlan(ctx, tenant.workspaceId, { webhooks: this.#random.chance(0.7) })
    }
  }

  async #attempt(
    process: SimulatedProcess,
    action: (process: SimulatedProcess) => Promise<unknown>,
  ) {
    try {
      await action(process)
    } catch (error) {
      // A user may ask for what is not possible; a lost connection or a deadlock is a 5xx to him.
      const isExpected =
        error instanceof AppError ||
        error instanceof ChangeOfMind ||
        isTransient((error as Error).name, (error as { code?: string }).code)
      if (!isExpected) throw error
    }
  }

  async #emit(process: SimulatedProcess, tenant: Tenant, count: number) {
    const action = this.#actions++
    const emission: Emission = { action, count, stored: undefined }
    this.#recorder.emissions.set(action, emission)
    const events = Array.from({ length: count }, () => this.#newEvent(tenant, action))
    const changesMind = this.#random.chance(0.06)
    try {
      await transaction(process.contextFor(emission), async (tx) => {
        await emit(tx, tenant.workspaceId, events)
        if (this.#random.chance(0.2)) await tx.sleep(this.#random.between(1, 300))
        if (changesMind) throw new ChangeOfMind()
      })
      emission.stored = true
    } catch (error) {
      if (error instanceof ChangeOfMind) emission.stored = false
      throw error
    }
  }

  #newEvent({ campaigns }: Tenant, action: number): NewEvent {
    const campaign = this.#random.pick([...campaigns, null])
    return {
      type: this.#random.pick(types),
      campaign: campaign ? { id: campaign, name: 'campaign' } : null,
      leadEmail: `lead-${action}@example.com`,
      data: { action },
    }
  }

  #create(ctx: FreeContext, tenant: Tenant, type?: 'all_events') {
    const number = this.#created++
    return createWebhook(
      ctx,
      tenant.workspaceId,
      {
        name: `destination ${number}`,
        target_hook_url: `http://203.0.113.1/${tenant.letter}/${number}`,
        event_type: type ?? this.#random.pick(['all_events', ...types]),
        campaign: type ? null : this.#random.pick([null, null, ...tenant.campaigns]),
      },
      by,
    )
  }

  #newSettings(tenant: Tenant) {
    return {
      event_type: this.#random.pick(['all_events', ...types]),
      campaign: this.#random.pick([null, ...tenant.campaigns]),
    }
  }

  async #change(ctx: FreeContext, tenant: Tenant, changes: Parameters<typeof changeWebhook>[3]) {
    const id = this.#anyDestination(tenant)
    if (id) await changeWebhook(ctx, tenant.workspaceId, id, changes, by)
  }

  async #delete(ctx: FreeContext, tenant: Tenant) {
    const id = this.#anyDestination(tenant)
    if (id) await deleteWebhook(ctx, tenant.workspaceId, id, by)
  }

  async #replay(ctx: FreeContext, tenant: Tenant) {
    const webhookId = this.#anyDestination(tenant)
    if (!webhookId) return
    this.#recorder.replayed.add(webhookId)
    const to = ctx.now()
    const from = new Date(to.getTime() - this.#random.between(1_000, 20_000))
    await replayEvents(ctx, { workspaceId: tenant.workspaceId, webhookId }, { from, to })
  }

  async #test(ctx: FreeContext, tenant: Tenant) {
    const id = this.#anyDestination(tenant)
    if (id) await testWebhook(ctx, tenant.workspaceId, id, attempts)
  }

  /** One that a user would see. */
  #anyDestination({ workspaceId }: Tenant): string | undefined {
    const { destinations } = this.#recorder.states.at(-1) ?? { destinations: new Map() }
    const ids = [...destinations]
      .filter(([, destination]) => destination.workspaceId === workspaceId)
      .map(([id]) => id)
      .sort()
    return ids.length > 0 ? this.#random.pick(ids) : undefined
  }
}
