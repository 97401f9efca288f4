import type { ApiClient } from './api-client.ts'
import type { SandboxClock } from './clock.ts'
import type { ReceivedEvent } from './receiver.ts'

const hourMs = 3_600_000

/** Set one after the other, each so many hours after the one before. */
type Course = { status: string; afterHours: number }[]

const steps = (afterHours: number, ...statuses: string[]): Course =>
  statuses.map((status) => ({ status, afterHours }))

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
      this.#take(lead_email, [...steps(1, 'out_of_office'), ...steps(48, 'active')])
    }
    const { clock, mendMailbox } = this.#desk
    const { mailbox } = data
    if (type === 'mailbox.error' && mailbox) clock.in(3 * hourMs, () => mendMailbox(mailbox))
    // The service itself paused it, because of too many bounces: it was looked at and goes on.
    if (type === 'campaign.paused' && data.campaign?.status_reason) {
      clock.in(hourMs, () => this.#setCampaign('active'))
    }
  }

  #read(reply = ''): Course {
    if (/\bcosts?\b|\bprices?\b/.test(reply)) return steps(1, this.#desk.labelValue)
    if (/not interested/.test(reply)) return steps(1, 'not_interested')
    if (/wrong person/.test(reply)) return steps(1, 'wrong_person')
    if (/a call/.test(reply)) return steps(6, 'interested', 'meeting_booked', 'no_show', 'lost')
    if (/show it/.test(reply)) {
      return steps(6, 'interested', 'meeting_booked', 'meeting_completed', 'closed')
    }
    return steps(1, 'neutral')
  }

  #take(email: string, [next, ...rest]: Course): void {
    if (!next) return
    const { api, campaignId: campaign_id, clock } = this.#desk
    clock.in(next.afterHours * hourMs, async () => {
      const change = { campaign_id, email, new_status: next.status }
      await api.post('/api/v2/lead/update/status', change)
      this.#take(email, rest)
    })
  }

  async #setCampaign(status: 'active' | 'paused') {
    const { api, campaignId } = this.#desk
    await api.patch(`/api/v2/campaigns/${campaignId}`, { status })
  }
}
