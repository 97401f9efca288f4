import { formatTable } from '../cli/terminal.ts'
import { dayOf, eventLine } from './event-line.ts'
import { type Paint, tones } from './paint.ts'
import type { ReceivedEvent } from './receiver.ts'

/** One type of event, as the service counts it and as the receiver does. */
interface CountedType {
  type: string
  delivered: number
  verified: number
}

/** What a person sees of the sandbox. */
export interface Screen {
  say: (text: string) => void
  /** Something that was set up. */
  done: (what: string) => void
  event: (event: ReceivedEvent) => void
  trouble: (text: string) => void
  table: (counted: CountedType[]) => void
}

/** @param names of types that are named by an id */
export function createScreen(names: Map<string, string>): Screen {
  const hasColours = process.stdout.isTTY && process.stdout.hasColors()
  const paint: Paint = (tone, text) =>
    hasColours && text !== '' ? `\u001b[${tones[tone]}m${text}\u001b[0m` : text
  const say = (text: string) => void process.stdout.write(`${text}\n`)
  const counts = new Map<string, number>()
  const nameOf = (type: string) => names.get(type) ?? type
  let day = ''
  return {
    say,
    done: (what) => say(`  ${paint('green', '✓')} ${what}`),
    event(event) {
      const today = dayOf(event.timestamp)
      if (today !== day) say(`\n${paint('bold', today)}  ${paint('dim', soFar(counts))}`.trimEnd())
      day = today
      counts.set(event.type, (counts.get(event.type) ?? 0) + 1)
      say(eventLine(event, nameOf(event.type), paint))
    },
    trouble: (text) => say(paint('yellow', `  !    ${text}`)),
    table(counted) {
      const rows = counted.map(({ type, delivered, verified }) => [
        ...[nameOf(type), delivered, verified],
        verified === 0 ? 'missing' : verified === delivered ? '✓' : 'not all of them',
      ])
      const table = formatTable(['event', 'delivered', 'verified', ' '], rows)
      say(`\n${table.replaceAll(/^/gm, '  ')}`)
    },
  }
}

/** The figures that everybody asks for first. */
function soFar(counts: Map<string, number>): string {
  const told = { sent: 'email.sent', opened: 'email.opened', replied: 'lead.replied' }
  return Object.entries({ ...told, bounced: 'email.bounced' })
    .flatMap(([word, type]) => (counts.get(type) ? `${word} ${counts.get(type)}` : []))
    .join(' · ')
}

/** For programs: a line of JSON for each event, and nothing else. */
export function createJsonScreen(): Screen {
  const nothing = () => undefined
  return {
    ...{ say: nothing, done: nothing, table: nothing },
    event({ type, timestamp, lead_email }) {
      const line = { event: type, lead_email, timestamp, verified: true }
      process.stdout.write(`${JSON.stringify(line)}\n`)
    },
    trouble: (text) => void process.stderr.write(`${text}\n`),
  }
}
