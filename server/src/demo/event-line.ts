import type { ReceivedEvent } from './receiver.ts'
import type { Paint, Tone } from './screen.ts'

/** When it happened in the sandbox, what, to whom, and the one thing worth knowing about it. */
export function eventLine(event: ReceivedEvent, labels: Map<string, string>, paint: Paint): string {
  const { type, timestamp, lead_email, data } = event
  const name = labels.get(type) ?? type
  const whom = lead_email ?? data.mailbox ?? data.campaign?.name ?? ''
  return [
    paint('dim', when(timestamp)),
    paint(toneOf(type), name.padEnd(22)),
    whom.padEnd(44),
    paint('dim', detailOf(event)),
  ]
    .join('  ')
    .trimEnd()
}

/** `Mon 26 Oct 09:10` */
export function when(timestamp: string): string {
  const [, day, month, date, time] =
    /^(\w+), (\d+ )(\w+) \d+ (\d\d:\d\d)/.exec(new Date(timestamp).toUTCString()) ?? []
  return `${day} ${month}${date} ${time}`
}

function detailOf({ type, data }: ReceivedEvent): string {
  const { message, reply, bounce } = data
  if (reply) return `"${shorten(reply.snippet)}"`
  if (bounce) return `${bounce.kind} ${bounce.code}`
  if (type === 'email.clicked') return data.url ?? ''
  if (message) {
    const variant = String.fromCharCode(64 + message.variant)
    return `mail ${message.step}${variant} from ${message.mailbox.split('@')[0]}`
  }
  if (data.reason) return shorten(data.reason)
  return data.previous_status ? `was ${data.previous_status}` : ''
}

const lengthMax = 60
const shorten = (text: string) =>
  text.length > lengthMax ? `${text.slice(0, lengthMax - 1).trimEnd()}…` : text

const bad = /bounced|unsubscribed|error|lost|no_show|not_interested|wrong_person/
const good = /replied|interested|meeting|closed|label/
const seen = /opened|clicked|completed/

function toneOf(type: string): Tone {
  if (type.startsWith('campaign.')) return 'bold'
  if (type === 'lead.auto_replied' || type === 'lead.out_of_office') return 'yellow'
  if (bad.test(type)) return 'red'
  if (good.test(type)) return 'green'
  return seen.test(type) ? 'cyan' : 'blue'
}
