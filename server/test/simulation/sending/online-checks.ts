import type { World } from '../engine/world.ts'
import { type CommittedCampaign, isFollowed, isSuppressed, zoneOf } from './committed.ts'
import type { MailProviders } from './mail-providers.ts'
import {
  type Accepted,
  type Checks,
  graceMs,
  isSame,
  type Key,
  type KnownLead,
  type Mark,
  type Recorder,
  type Written,
} from './recorder.ts'
import { findUnkept } from './unkept.ts'
import { delayedMs, isOpenWithin, startMsOf } from './wall-clock.ts'

/** From the mark to the answer of a server, for who is neither dead nor asleep. */
const wireMs = 5_000

/** Mails of a mailbox that are marked together at most. */
const marksMax = 8

/** A reading of a mailbox counts for so long. */
const readingMs = 15 * 60_000

/** What must not happen, not even for a moment: checked when a mail is marked, and when it is taken. */
export class OnlineChecks implements Checks {
  readonly #world: World
  readonly #recorder: Recorder
  readonly #providers: MailProviders

  constructor(world: World, recorder: Recorder, providers: MailProviders) {
    this.#world = world
    this.#recorder = recorder
    this.#providers = providers
  }

  marked(mark: Mark) {
    const { now, leads } = this.#recorder
    const lead = leads.get(mark.leadId)
    if (!lead) return this.#violate(mark, 'to nobody')
    const { email } = lead
    const campaign = now.campaigns.get(mark.campaignId)
    if (campaign?.status !== 'active')
      this.#violate(mark, `of a campaign that is ${campaign?.status}`)
    const mailbox = now.mailboxes.get(mark.mailboxId)
    if (mailbox?.status !== 'connected')
      this.#violate(mark, `from a mailbox that is ${mailbox?.status}`)
    if (mailbox && Date.parse(mailbox.timestamp_updated) !== mark.mailboxVersionMs)
      this.#violate(mark, 'made before the last change of its mailbox')
    if (!now.planAllows) this.#violate(mark, 'against the plan')
    if (this.#recorder.isMovedAway(lead.id)) this.#violate(mark, 'of a lead that was moved')
    if (isSuppressed(now, email)) this.#violate(mark, 'to a suppressed address')
    const stop = campaign && this.#stopOf(campaign, lead)
    if (stop) this.#violate(mark, `after ${stop}`)
    if (campaign) this.#checkUnread(campaign, lead, mark)
    this.#checkTime(mark)
    this.#checkThread(mark)
  }

  /** As many of a mailbox may be uncertain when its process is killed: one where a gap has to pass. */
  markedTogether(marks: Mark[]) {
    for (const own of Map.groupBy(marks, ({ mailboxId }) => mailboxId).values()) {
      const most = own.some((mark) => this.#gapAfter(mark) > 0) ? 1 : marksMax
      const [first] = own
      if (first && own.length > most) this.#violate(first, `marked with ${own.length - 1} others`)
    }
  }

  accepted(accepted: Accepted, mark: Mark | undefined) {
    const { repeated, accepted: before } = this.#recorder
    if (!mark) return this.#world.violate(`${describe(accepted)}: taken without a mark`)
    const times = before.filter((each) => isSame(each, accepted)).length
    const allowed = repeated.filter((each) => isSame(each, accepted)).length
    if (times > allowed) this.#violate(mark, `taken ${times + 1} times`)
    this.#checkFirst(mark)
    this.#checkOrder(mark)
    this.#checkGap(accepted, mark)
  }

  takenBack(key: Key) {
    const follower = this.#followerOf(key)
    if (follower) this.#violate(follower, 'taken, and the mail before it never left')
  }

  async read() {
    const { letters: all, forgotten } = this.#recorder
    const letters = new Map([...all].filter(([, { to }]) => !forgotten.has(to)))
    for (const unkept of await findUnkept(this.#world.admin, this.#providers, letters)) {
      this.#world.violate(unkept)
    }
  }

  /** What ended the lead's sequence before. */
  #stopOf(campaign: CommittedCampaign, lead: KnownLead): string | undefined {
    const { email, createdMs } = lead
    const company = email.slice(email.indexOf('@'))
    const undoneMs = this.#recorder.undone.get(email) ?? Number.NEGATIVE_INFINITY
    const campaigns = this.#recorder.campaignsOf(lead)
    const end = this.#recorder.facts.find(({ type, campaignId, email: of, kind, atMs }) => {
      // A suppression that was taken back as a mistake stops nobody; an answer still does.
      const isStanding = of === email && atMs > undoneMs
      if (type === 'lead.unsubscribed') return isStanding
      if (type === 'email.bounced') return isStanding && kind === 'hard'
      const isOwn = of === email ? campaigns.has(campaignId) : campaignId === campaign.id
      if (!isOwn) return false
      // What a machine had answered before the move was known to who moved the lead.
      const isOfHere = campaignId === campaign.id || atMs > createdMs + graceMs
      if (type === 'lead.auto_replied')
        return of === email && campaign.stop_on_auto_reply && isOfHere
      if (type !== 'lead.replied') return false
      // Who is added after a colleague replied is written to.
      const isStopped = campaign.stop_for_company && of.endsWith(company)
      if (isStopped && createdMs < atMs - graceMs) return true
      return of === email && campaign.stop_on_reply
    })
    return end?.type
  }

  /** Nobody gets a follow-up who has answered, once the answer has lain there for long enough to be read. */
  #checkUnread(campaign: CommittedCampaign, { email }: KnownLead, mark: Mark) {
    const { accepted, letters, recent } = this.#recorder
    const isFollowUp = accepted.some(
      (each) => each.leadId === mark.leadId && each.stepId !== mark.stepId && !each.isLost,
    )
    if (!isFollowUp) return
    // What came to a mailbox that was removed or paused after it was handed over is seen by nobody.
    const own = recent.at(-1)?.mailboxes.get(mark.mailboxId)?.address
    const isRead = (address: string) =>
      address === own ||
      recent.every(({ mailboxes }) =>
        [...mailboxes.values()].some((each) => each.address === address && isFollowed(each)),
      )
    for (const messageId of this.#providers.lyingFor(readingMs + graceMs, isRead)) {
      const letter = letters.get(messageId)
      if (letter?.to !== email || !stops(campaign, letter)) continue
      this.#violate(mark, `after ${messageId}, which lay in its mailbox unread`)
    }
  }

  #checkTime(mark: Mark) {
    const { startMs, now } = this.#recorder
    const atMs = startMs + mark.atMs
    const campaign = now.campaigns.get(mark.campaignId)
    if (!campaign) return
    const { skewMaxMs } = this.#world.environment.conditions
    const isOpen = isOpenWithin(campaign.schedule, atMs - graceMs, atMs + skewMaxMs)
    if (!isOpen) this.#violate(mark, `outside its window, at ${new Date(atMs).toISOString()}`)
    const dueMs = this.#dueOf(campaign, mark)
    const earlyMs = dueMs - atMs - 2 * skewMaxMs - 2
    if (earlyMs > 0) this.#violate(mark, `${Math.round(earlyMs / 1000)} s before its time`)
  }

  #dueOf(campaign: CommittedCampaign, mark: Mark): number {
    const { startMs, marks, leads, facts, letters, repeated, takenBack } = this.#recorder
    const step = campaign.steps.find(({ id }) => id === mark.stepId)
    const lead = leads.get(mark.leadId)
    if (!step || !lead) return Number.NEGATIVE_INFINITY
    // While what was taken back counted as sent, the next step may have followed it.
    const isTakenBack = takenBack.some((each) => isSame(each, mark))
    const first = isTakenBack ? marks.find((each) => isSame(each, mark)) : undefined
    const before = first ? marks.slice(0, marks.indexOf(first)) : marks
    const last = before.findLast((each) => each.leadId === lead.id && each.stepId !== step.id)
    const fromMs = startMs + (last?.saidMs ?? lead.createdMs)
    const zone = zoneOf(campaign)
    const delayed = delayedMs(zone, step, fromMs)
    if (repeated.some(({ leadId }) => leadId === lead.id)) return Number.NEGATIVE_INFINITY
    const returns = facts
      .filter(({ email, campaignId }) => email === lead.email && campaignId === campaign.id)
      .flatMap(({ letter, atMs }) => {
        const date = letters.get(letter ?? '')?.returnsOn
        return date ? [this.#returnMs(campaign, date, atMs)] : []
      })
    return Math.max(delayed, ...returns)
  }

  /** An absence ends by the zone that the campaign had when it was read: no later edit moves it. */
  #returnMs({ id }: CommittedCampaign, date: string, readMs: number): number {
    const { states } = this.#recorder
    const first = states.findLastIndex(({ atMs }) => atMs <= readMs - graceMs)
    const then = states.slice(Math.max(0, first)).filter(({ atMs }) => atMs <= readMs)
    const zones = then.flatMap(({ campaigns }) => {
      const campaign = campaigns.get(id)
      return campaign ? [zoneOf(campaign)] : []
    })
    return Math.min(...zones.map((zone) => startMsOf(zone, date)))
  }

  /** Follow-ups come from the mailbox of the thread. */
  #checkThread(mark: Mark) {
    const { marks, accepted, now } = this.#recorder
    const earlier = accepted.findLast((each) => each.leadId === mark.leadId && !each.isLost)
    const last = earlier && marks.findLast((each) => isSame(each, earlier))
    if (!last || isSame(last, mark)) return
    if (this.#recorder.goesOnWith(mark.mailboxId, last.mailboxId)) return
    this.#violate(mark, `from another mailbox than ${now.mailboxes.get(last.mailboxId)?.address}`)
  }

  /** Nobody gets a second first mail because another step has become the first. */
  #checkFirst(mark: Mark) {
    const { accepted, marks, repeated } = this.#recorder
    if (mark.afterStepId !== null || repeated.some(({ leadId }) => leadId === mark.leadId)) return
    const isFirst = accepted.some(
      (each) =>
        each.leadId === mark.leadId &&
        each.stepId !== mark.stepId &&
        !each.isLost &&
        marks.findLast((other) => isSame(other, each))?.afterStepId === null,
    )
    if (isFirst) this.#violate(mark, 'after another first mail')
  }

  /** Nobody gets a mail before the one that it follows. */
  #checkOrder(mark: Mark) {
    const { marks, takenBack } = this.#recorder
    if (this.#followerOf(mark)) this.#violate(mark, 'after the mail that follows it')
    const { leadId, afterStepId: stepId } = mark
    if (stepId === null) return
    // Another attempt may have followed the one that never left, and counts as sent itself.
    const before = marks.findLast((each) => isSame(each, { leadId, stepId }))
    if (takenBack.some(({ attemptId }) => attemptId === before?.attemptId)) {
      this.#violate(mark, 'taken, and the mail before it never left')
    }
  }

  /** The mail that was taken as the next one after that step. */
  #followerOf({ leadId, stepId }: Key): Mark | undefined {
    const { accepted, marks } = this.#recorder
    return accepted
      .filter((each) => each.leadId === leadId && !each.isLost)
      .map((each) => marks.findLast((other) => isSame(other, each)))
      .find((each) => each?.afterStepId === stepId)
  }

  /** A process that was dead to the world between mark and mail keeps no gap. */
  #checkGap(accepted: Accepted, mark: Mark) {
    const { accepted: all, marks } = this.#recorder
    const last = all.findLast(({ mailbox }) => mailbox === accepted.mailbox)
    if (!last || last.isLost) return
    if ([last, accepted].some((each) => each.atMs - each.markedMs > wireMs)) return
    const before = marks.findLast((each) => isSame(each, last))
    const gapMs = accepted.atMs - last.atMs
    const tolerance = 2 * this.#world.environment.conditions.skewMaxMs + 8_000
    if (gapMs + tolerance >= this.#gapAfter({ ...mark, campaignId: before?.campaignId ?? '' }))
      return
    this.#violate(mark, `only ${Math.round(gapMs / 1000)} s after the last one`)
  }

  /** The shortest that held within the grace. */
  #gapAfter({ campaignId, mailboxId }: Pick<Mark, 'campaignId' | 'mailboxId'>): number {
    const gaps = this.#recorder.recent.map(({ campaigns, mailboxes }) =>
      Math.max(
        (campaigns.get(campaignId)?.email_gap ?? 0) * 60_000,
        (mailboxes.get(mailboxId)?.gap_seconds ?? 0) * 1_000,
      ),
    )
    return Math.min(...gaps)
  }

  #violate({ process, mailboxId, ...mark }: Mark, what: string) {
    const from = this.#recorder.now.mailboxes.get(mailboxId)?.address
    const to = this.#recorder.leads.get(mark.leadId)?.email
    this.#world.violate(
      `${process.label}: ${from} → ${to}, step …${mark.stepId.slice(-4)}: ${what}`,
    )
  }
}

/** Whether this letter ends the sequence of who wrote it. */
function stops(campaign: CommittedCampaign, { character, isCited }: Written): boolean {
  if (character === 'full') return false
  if (character === 'angry' || character === 'gone') return isCited
  if (character === 'absent' || character === 'away') return campaign.stop_on_auto_reply
  return campaign.stop_on_reply || campaign.stop_for_company
}

const describe = ({ mailbox, leadId }: Accepted) => `${mailbox} → lead ${leadId}`
