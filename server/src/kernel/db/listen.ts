import { setTimeout as wait } from 'node:timers/promises'
import type { Log } from '../log.ts'
import { NamedClient } from './client.ts'
import { connectionSettings } from './connection.ts'
import { databaseReadOnly } from './failure.ts'
import { pauseAfter } from './reconnect.ts'
import { runnerTimeouts } from './timeouts.ts'

/**
 * A connection that nothing is said on may be dead without anybody noticing, or lead to an old primary,
 * where nobody notifies of anything.
 */
const askedEveryMs = 30_000

/**
 * Calls back on every NOTIFY of a channel, on a connection of its own that is made again when it
 * breaks: one attempt at a time, with growing pauses. What was notified meanwhile is missed: a hint
 * may be, a fact may not.
 *
 * @param onGap called when it listens again
 * @returns a function that ends it
 * @throws when the first connection fails
 */
export async function listen(
  url: string,
  channel: string,
  onNotify: (payload: string) => void,
  log: Log,
  onGap?: () => void,
  askEveryMs = askedEveryMs,
): Promise<() => Promise<void>> {
  const stopping = new AbortController()
  const { signal } = stopping
  const keeping = keepListening(await openListener(url, channel, onNotify, askEveryMs))

  async function keepListening(first: Listener) {
    for (let listener: Listener | undefined = first; listener; listener = await reopen()) {
      await listener.until(signal)
      if (!signal.aborted) log.warn({ channel }, 'listening was interrupted')
    }
  }

  async function reopen(): Promise<Listener | undefined> {
    for (let failures = 1; !signal.aborted; failures++) {
      await wait(pauseAfter(failures), undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      const listener = await openListener(url, channel, onNotify, askEveryMs).catch(() => undefined)
      if (!listener) continue
      log.info({ channel }, 'listening again')
      onGap?.()
      return listener
    }
  }

  return async () => {
    stopping.abort()
    await keeping
  }
}

interface Listener {
  /** Resolves when the connection is over, which the signal ends. */
  until: (signal: AbortSignal) => Promise<void>
}

async function openListener(
  url: string,
  channel: string,
  onNotify: (payload: string) => void,
  askEveryMs: number,
): Promise<Listener> {
  const client = new NamedClient({
    ...connectionSettings(url, runnerTimeouts),
    application_name: 'outrider listen',
  })
  // Read at each call: TLS replaces it.
  const close = () => client.connection.stream.destroy()
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  client.on('error', () => undefined)
  client.on('end', resolve)
  client.on('notification', ({ payload = '' }) => onNotify(payload))
  const ask = async (query_timeout: number) => {
    const question = { text: 'show transaction_read_only', query_timeout } as { text: string }
    const { rows } = await client.query(question)
    if (rows[0]?.transaction_read_only === 'on') throw databaseReadOnly()
  }
  try {
    await client.connect()
    await client.query({ text: `listen ${channel}`, query_timeout: runnerTimeouts.connectMs } as {
      text: string
    })
    await ask(runnerTimeouts.connectMs)
  } catch (error) {
    close()
    throw error
  }
  const asking = setInterval(() => void ask(askEveryMs).catch(close), askEveryMs)
  return {
    async until(signal) {
      // No goodbye: the server ends a session whose socket is closed, and nothing can hang here.
      signal.addEventListener('abort', close)
      if (signal.aborted) close()
      await ended
      clearInterval(asking)
      signal.removeEventListener('abort', close)
    },
  }
}
