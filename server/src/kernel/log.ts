import pino from 'pino'
import { priorities } from './journal.ts'

/**
 * Structured log lines. Nothing that holds a key, a payload, a header or an address is ever passed
 * here: ids, route patterns, statuses and timings only.
 */
export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>

/** The same log, each of whose lines has these fields, too. */
export const withFields = (log: Log, fields: Record<string, string>): Log =>
  (log as pino.Logger).child(fields)

interface LogOptions {
  /** Standard output when not given. */
  destination?: pino.DestinationStream
  /** Each line begins with its priority, as the journal of systemd wants it. */
  hasPriorities?: boolean
}

export function createLog(level: string, options: LogOptions = {}): Log {
  const { destination, hasPriorities = false } = options
  if (destination) return pino({ level, base: null }, destination)
  if (process.stdout.isTTY) {
    return pino({
      level,
      base: null,
      transport: {
        target: 'pino-pretty',
        options: { ignore: 'pid,hostname', translateTime: true, singleLine: true },
      },
    })
  }
  standardOutput ??= gatherLines()
  const output = hasPriorities ? withPriorities(standardOutput) : standardOutput
  return pino({ level, base: null, timestamp: createTimestamp() }, output)
}

let standardOutput: pino.DestinationStream | undefined

const gatheredMax = 64_000
const gatherMs = 100

/**
 * A write per line would cost each request a system call, and pino's own buffer is measured anew with
 * each line it is given. What is left is written at the exit.
 */
function gatherLines(): pino.DestinationStream {
  const destination = pino.destination({ sync: false, minLength: 16_000, periodicFlush: gatherMs })
  let lines: string[] = []
  let length = 0
  let timer: NodeJS.Timeout | undefined
  let handedOverMs = Number.NEGATIVE_INFINITY
  const handOver = () => {
    clearTimeout(timer)
    timer = undefined
    handedOverMs = performance.now()
    destination.write(lines.join(''))
    lines = []
    length = 0
  }
  process.on('exit', () => {
    // First what it has: with it, the rest could be enough to begin a write that nobody finishes.
    destination.flushSync()
    handOver()
    destination.flushSync()
  })
  return {
    write(line) {
      lines.push(line)
      length += line.length
      if (length >= gatheredMax) handOver()
      else if (performance.now() - handedOverMs > gatherMs) {
        // The first line after a pause is news: somebody may be waiting for it.
        handOver()
        destination.flush()
      } else timer ??= setTimeout(handOver, gatherMs).unref()
    },
  }
}

/** Every line of pino begins with its level: `{"level":30`. */
const withPriorities = (output: pino.DestinationStream): pino.DestinationStream => ({
  write: (line) => output.write(`${priorities[line.slice(9, 11)] ?? ''}${line}`),
})

/** The lines of one millisecond share their text. */
function createTimestamp(): () => string {
  let atMs = 0
  let text = ''
  return () => {
    const nowMs = Date.now()
    if (nowMs !== atMs) text = `,"time":"${new Date(nowMs).toISOString()}"`
    atMs = nowMs
    return text
  }
}

/**
 * What may be said of an unexpected error: its kind, SQLSTATE and where it came from. Messages stay
 * out, because a driver's message can quote a value.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error }
  const { code, constraint, table, routine } = error as Error & Record<string, unknown>
  return { error: error.name, code, constraint, table, routine, stack: framesOf(error) }
}

/** The stack begins with the message, which may have lines that look like frames. */
function framesOf({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message)
  const trace = start === -1 ? stack : stack.slice(start + message.length)
  return trace
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, 8)
}
