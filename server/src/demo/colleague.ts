import { hourMs } from '../kernel/durations.ts'
import type { ApiClient } from './api-client.ts'
import { isWorkingTime, type SandboxClock } from './clock.ts'
import type { ReceivedEvent } from './receiver.ts'

/** Set one after the other, each so many hours after the one before. */
type Course = { status: string; afterHours: number }[]

const set = (status: string, afterHours = 1): Course => [{ status, afterHours }]

export interface Desk {
  api: ApiClient
  clock: SandboxClock
  campaignId: string
  /** The custom label of those who ask what it costs. */
  labelValue: string
  /** Types the mailbox's new password. */
  mendMailbox: (address: string) => Promise<void>
}

/** The salesperson: hears of everything by webhook, reads replies and says through the API what they mean. */
export class Colleague {
  readonly #desk: Desk

  constructor(desk: Desk) {
    this.#desk = desk
  }

  /** Stops the campaign for a moment on its second day. */
  beginWeek(): void {
    const { clock } = this.#desk
    clock.in(27 * hourMs, () => this.#setCampaign('paused'))
    clock.in(29 * hourMs, () => this.#setCampaign('active'))
  }

  hear({ type, lead_email, data }: ReceivedEvent): void {
    if (lead_email && type === 'lead.replied') this.#take(lead_email, this.#read(data.reply?.text))
    if (lead_email && type === 'lead.auto_replied' && !/back on/.test(data.reply?.text ?? '')) {
      this.#take(lead_email, [...set('out_of_office'), ...set('active', 48)])
    }
    const { mendMailbox } = this.#desk
    const { mailbox } = data
    if (type === 'mailbox.error' && mailbox) this.#later(3, () => mendMailbox(mailbox))
    // The service itself paused it, because of too many bounces: it was looked at and goes on.
    if (type === 'campaign.paused' && data.campaign?.status_reason) {
      this.#later(1, () => this.#setCampaign('active'))
    }
  }

  #read(reply = ''): Course {
    if (/\bcosts?\b|\bprices?\b/.test(reply)) return set(this.#desk.labelValue)
    if (/not interested/.test(reply)) return set('not_interested')
    if (/wrong person/.test(reply)) return set('wrong_person')
    const meeting = [...set('interested'), ...set('meeting_booked', 2)]
    if (/a call/.test(reply)) return [...meeting, ...set('no_show', 24), ...set('lost', 4)]
    if (/show it/.test(reply)) {
      return [...meeting, ...set('meeting_completed', 24), ...set('closed', 4)]
    }
    return set('neutral')
  }

  #take(email: string, [next, ...rest]: Course): void {
    if (!next) return
    const { api, campaignId: campaign_id } = this.#desk
    this.#later(next.afterHours, async () => {
      const change = { campaign_id, email, new_status: next.status }
      await api.post('/api/v2/lead/update/status', change)
      this.#take(email, rest)
    })
  }

  /** What would be at night or at a weekend waits for the next morning. */
  #later(hours: number, work: () => Promise<void>) {
    const { clock } = this.#desk
    const now = clock.now().getTime()
    let then = now + hours * hourMs
    while (!isWorkingTime(new Date(then))) then += hourMs
    clock.in(then - now, work)
  }

  async #setCampaign(status: 'active' | 'paused') {
    const { api, campaignId } = this.#desk
    await api.patch(`/api/v2/campaigns/${campaignId}`, { status })
  }
}
