import { write, writeSync } from 'node:fs'
import pino from 'pino'
import { priorities } from './journal.ts'

/**
 * Structured log lines. Nothing that holds a key, a payload, a header or an address is ever passed
 * here: ids, route patterns, statuses and timings only.
 */
export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>

/** A log that writes to this one, each of whose lines has these fields, too. */
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
/** Of a log that cannot be written no more than this is kept: it must not fill the memory either. */
const waitingMax = 4_000_000

/**
 * A write per line would cost each request a system call, and pino's own buffer is measured anew with
 * each line it is given. What cannot be written, as on a full disk, is tried again until it can, and
 * what is left at the exit is tried once: a log ends no process, and keeps none from ending.
 */
function gatherLines(): pino.DestinationStream {
  let lines: string[] = []
  let length = 0
  let timer: NodeJS.Timeout | undefined
  let handedOverMs = Number.NEGATIVE_INFINITY
  // Handed over, and not written yet.
  let rest: Buffer = Buffer.alloc(0)
  let isRefused = false
  const handOver = () => {
    clearTimeout(timer)
    timer = undefined
    if (rest.length > 0) return
    handedOverMs = performance.now()
    rest = takeLines()
    writeRest()
  }
  const writeRest = () => {
    write(1, rest, (error, written) => {
      isRefused = error !== null
      if (isRefused) return void setTimeout(writeRest, gatherMs).unref()
      rest = rest.subarray(written)
      if (rest.length > 0) writeRest()
      else if (length >= gatheredMax) handOver()
      else if (length > 0) timer ??= setTimeout(handOver, gatherMs).unref()
    })
  }
  const takeLines = () => {
    const taken = Buffer.from(lines.join(''))
    lines = []
    length = 0
    return taken
  }
  process.on('exit', () => {
    // What a write under way has been given, that write finishes.
    writeNow(isRefused ? Buffer.concat([rest, takeLines()]) : takeLines())
  })
  return {
    write(line) {
      if (length > waitingMax) return
      lines.push(line)
      length += line.length
      // The first line after a pause is news: somebody may be waiting for it.
      const isDue = length >= gatheredMax || performance.now() - handedOverMs > gatherMs
      if (isDue) handOver()
      else timer ??= setTimeout(handOver, gatherMs).unref()
    },
  }
}

const exitTries = 20
const exitTryMs = 50

/** Waits a second for a reader that is behind, and for nothing else. */
function writeNow(bytes: Buffer) {
  let rest = bytes
  for (let tries = 0; rest.length > 0 && tries < exitTries; ) {
    try {
      rest = rest.subarray(writeSync(1, rest))
      tries = 0
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      tries += 1
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, exitTryMs)
    }
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

/** Codes that an operator has to act on, most of PostgreSQL, and whose own words stay out. */
const causes: Record<string, string> = {
  '25006': 'the database takes no changes, as a standby: the address has to lead to the primary',
  '42501': 'the user of the database lacks a privilege on what was asked for',
  '53200': 'the server of the database is out of memory',
  '53300': 'the server of the database has no connection left for this process',
  '57P03': 'the server of the database starts, stops or recovers, and takes no connections yet',
  '58030': 'the server of the database cannot read or write its disk',
  secret_key_missing: 'OUTRIDER_SECRET_KEY lacks a key that is in use',
  EMFILE: 'this process may open no more files',
}

/**
 * What may be said of an unexpected error: its kind, SQLSTATE and where it came from. Messages stay
 * out, because a driver's message can quote a value.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error }
  const { code, constraint, table, routine, shard } = error as Error & Record<string, unknown>
  const cause = causes[String(code)]
  const known = { error: error.name, code, cause, shard, constraint, table, routine }
  return { ...known, stack: framesOf(error) }
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
