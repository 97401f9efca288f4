import { handOver } from '../../../src/features/hand-over/index.ts'
import { changeMany } from '../../../src/features/leads/index.ts'
import { removeMailbox } from '../../../src/features/mailboxes/index.ts'
import { undoSuppression } from '../../../src/features/undo-suppression/index.ts'
import { AppError } from '../../../src/kernel/errors.ts'
import type { FreeContext } from '../../context.ts'
import type { Random } from '../../random.ts'
import type { Recorder } from './recorder.ts'
import { workspaceId } from './seed-rows.ts'

interface Parts {
  random: Random
  recorder: Recorder
}

const colleague = {
  actor: { type: 'user' as const, id: '00000000-0000-7000-8000-00000000000a' },
}

interface OtherActions {
  addMailbox: (address: string) => Promise<unknown>
  /** Somebody is not written to any more. */
  suppress: () => Promise<unknown>
}

/** What decides who is written to, and from where, changes hands: mailboxes, campaigns, suppressions. */
export function rearrange(
  ctx: FreeContext,
  parts: Parts,
  { addMailbox, suppress }: OtherActions,
): Promise<unknown> {
  const action = parts.random.next()
  if (action < 0.3) return passOn(ctx, parts)
  if (action < 0.6) return removeOrAdd(ctx, parts, addMailbox)
  if (action < 0.85) return moveLead(ctx, parts)
  return parts.recorder.now.suppressed.size === 0 ? suppress() : undo(ctx, parts)
}

/** Every mailbox that there was. */
const mailboxesOf = ({ states }: Recorder) =>
  new Map(states.flatMap(({ mailboxes }) => [...mailboxes]))

async function passOn(ctx: FreeContext, { random, recorder }: Parts) {
  const present = [...recorder.now.mailboxes.values()]
  if (present.length === 0) return
  const to = random.pick(present)
  const others = [...mailboxesOf(recorder).values()].filter(({ id }) => id !== to.id)
  if (others.length === 0) return
  const from = random.pick(others)
  const handedOver = { from: from.id, to: to.id }
  recorder.handedOver.push(handedOver)
  try {
    await handOver(ctx, workspaceId, { from: from.address, to: to.address }, colleague)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_field') {
      recorder.handedOver.splice(recorder.handedOver.indexOf(handedOver), 1)
    }
    throw error
  }
}

async function removeOrAdd(
  ctx: FreeContext,
  { random, recorder }: Parts,
  addMailbox: (address: string) => Promise<unknown>,
) {
  const { mailboxes } = recorder.now
  const missing = [...mailboxesOf(recorder).values()].find(({ id }) => !mailboxes.has(id))
  if (missing && random.chance(0.6)) return addMailbox(missing.address)
  if (mailboxes.size < 2) return
  const { id } = random.pick([...mailboxes.values()])
  return removeMailbox(ctx, workspaceId, id, colleague)
}

async function moveLead(ctx: FreeContext, { random, recorder }: Parts) {
  const leads = [...recorder.leads.values()].filter(({ id }) => !recorder.isMovedAway(id))
  if (leads.length === 0) return
  const lead = random.pick(leads)
  const others = [...recorder.now.campaigns.keys()].filter((id) => id !== lead.campaignId)
  if (others.length === 0) return
  const to_campaign_id = random.pick(others)
  return changeMany(ctx, workspaceId, { action: 'move', ids: [lead.id], to_campaign_id }, colleague)
}

/** Somebody says that it was a mistake, whatever it was. */
async function undo(ctx: FreeContext, { random, recorder }: Parts) {
  const address = random.pick([...recorder.now.suppressed])
  const [before, nowMs] = [recorder.undone.get(address), recorder.nowMs]
  recorder.undone.set(address, nowMs)
  try {
    const options = { since: undefined, unsubscribed: true }
    await undoSuppression(ctx, workspaceId, address, options, colleague)
  } catch (error) {
    // What was refused has changed nothing; of a lost connection nobody knows.
    if (error instanceof AppError) {
      if (before === undefined) recorder.undone.delete(address)
      else recorder.undone.set(address, before)
    }
    throw error
  }
}
