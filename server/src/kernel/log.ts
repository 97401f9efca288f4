import pino from 'pino'

/**
 * Structured log lines. Nothing that holds a key, a payload, a header or an address is ever passed
 * here: ids, route patterns, statuses and timings only.
 */
export type Log = Pick<pino.Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>

export function createLog(level: string, destination?: pino.DestinationStream): Log {
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
  // A write per line would cost each request a system call; what is left is written at the exit.
  const buffered = pino.destination({ sync: false, minLength: 16_000, periodicFlush: 100 })
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, buffered)
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
