import { formatTable } from '../cli/terminal.ts'
import { eventLine, when } from './event-line.ts'
import type { ReceivedEvent } from './receiver.ts'

const tones = { dim: 2, bold: 1, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 }

export type Tone = keyof typeof tones
export type Paint = (tone: Tone, text: string) => string

/** One type of event, as the service counts it and as the receiver does. */
export interface CountedType {
  type: string
  delivered: number
  verified: number
}

/** What a person sees of the sandbox. */
export interface Screen {
  say: (text?: string) => void
  /** Something that was set up. */
  done: (what: string) => void
  event: (event: ReceivedEvent) => void
  trouble: (text: string) => void
  table: (counted: CountedType[]) => void
}

export function createScreen(labels: Map<string, string>): Screen {
  const hasColours = process.stdout.isTTY && process.stdout.hasColors()
  const paint: Paint = (tone, text) =>
    hasColours && text !== '' ? `\u001b[${tones[tone]}m${text}\u001b[0m` : text
  const say = (text = '') => void process.stdout.write(`${text}\n`)
  let day = ''
  return {
    say,
    done: (what) => say(`  ${paint('green', '✓')} ${what}`),
    event(event) {
      const today = when(event.timestamp).slice(0, 10)
      if (today !== day) say(`\n${paint('bold', `── ${today} `.padEnd(30, '─'))}`)
      day = today
      say(eventLine(event, labels, paint))
    },
    trouble: (text) => say(paint('yellow', `  ! ${text}`)),
    table(counted) {
      const rows = counted.map(({ type, delivered, verified }) => [
        labels.get(type) ?? type,
        ...[delivered, verified],
        verified === 0 ? 'missing' : verified === delivered ? '✓' : 'not all of them',
      ])
      say(`\n${formatTable(['event', 'delivered', 'verified', ''], rows)}`)
    },
  }
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
