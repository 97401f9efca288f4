import { NamedClient } from './client.ts'
import { connectionSettings } from './connection.ts'
import type { DatabaseTimeouts } from './timeouts.ts'

/** Asks on a connection of its own what those that are connected have had no answer to. */
export interface ConnectionProbe {
  /**
   * The probe was let in and has no answer either, while the database itself gives one: what stands between
   * is busy, and no network is dead. Would the network have dropped the others alone, it had one.
   */
  isKeptWaiting: () => boolean
  end: () => void
}

/** @param timeouts with the way around the pooler that `url` leads to, if there is one */
export function startProbe(url: string, timeouts: DatabaseTimeouts): ConnectionProbe {
  const { directUrl } = timeouts
  const inQueue = askOn(url, timeouts)
  const around = directUrl === undefined ? undefined : askOn(directUrl, timeouts)
  return {
    isKeptWaiting: () =>
      inQueue.state === 'let in' && (around === undefined || around.state === 'answered'),
    end() {
      inQueue.end()
      around?.end()
    },
  }
}

function askOn(url: string, timeouts: DatabaseTimeouts) {
  const client = new NamedClient(connectionSettings(url, timeouts))
  // Its loss fails the question; unheard, the event would end the process.
  client.on('error', () => undefined)
  const asked = {
    state: 'outside' as 'outside' | 'let in' | 'answered',
    end: () => void client.connection.stream.destroy(),
  }
  const ask = async () => {
    await client.connect()
    asked.state = 'let in'
    await client.query('select 1')
    asked.state = 'answered'
  }
  ask().catch(() => {
    asked.state = 'outside'
  })
  return asked
}
