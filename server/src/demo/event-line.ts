import type { Paint, Tone } from './paint.ts'
import type { ReceivedEvent } from './receiver.ts'

/** What happened when, to whom, and the one thing worth knowing about it. */
export function eventLine(event: ReceivedEvent, name: string, paint: Paint): string {
  const { type, timestamp, lead_email, data } = event
  const whom = lead_email ?? data.mailbox ?? data.campaign?.name ?? ''
  return [
    paint('dim', timestamp.slice(11, 16)),
    paint(toneOf(type), name.padEnd(24)),
    whom.padEnd(44),
    paint('dim', detailOf(event)),
  ]
    .join('  ')
    .trimEnd()
}

/** `Mon 26 Oct` */
export const dayOf = (timestamp: string): string =>
  new Date(timestamp).toUTCString().replace(',', '').slice(0, 10)

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
